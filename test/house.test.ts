/** The house rules that a machine can check: who may import whom, and which library lives where. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { CORE } from './tiers.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')
const client = join(root, 'packages', 'client', 'src')
const widget = join(root, 'widget', 'src')
const dashboard = join(root, 'dashboard', 'src')

/**
 * A room may import itself and these; `main.ts`, `cli/`, `app.ts` and `serve.ts` wire the rooms. A room of another name
 * stands for its sub-rooms too: `domain` allows `domain/ports`. docs/design/overview.md says what each of them holds.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  // The type of a site comes from the table of settings.
  domain: ['proof', 'domain/site-rules', 'score', 'settings'],
  score: ['domain', 'proof'],
  proof: [],
  work: ['domain'],
  'domain/site-rules': ['domain'],
  'domain/ports': ['domain', 'score', 'work'],
  wire: ['domain', 'proof', 'score'],
  operations: ['domain', 'proof', 'score', 'wire', 'work'],
  http: ['domain', 'operations', 'score', 'settings', 'wire'],
  tokens: ['domain', 'proof', 'settings'],
  store: ['domain'],
  history: ['domain', 'store', 'work'],
  agents: ['domain', 'settings'],
  settings: ['domain', 'score', 'work'],
  ops: ['domain'],
  demo: ['domain', 'http', 'score', 'settings', 'wire'],
  doctor: ['domain', 'settings', 'store', 'tokens', 'wire', 'work'],
}
const WIRING = new Set(['main', 'cli', 'app', 'serve'])

/** One library, one room. The demonstration site is a customer's application, so it may be an Express one. */
const LIVES_IN: Record<string, readonly string[]> = {
  '@human-verification/client': ['demo'],
  express: ['http', 'demo', 'app'],
  helmet: ['http'],
  jose: ['tokens'],
  ioredis: ['store'],
  'rate-limiter-flexible': ['store'],
  ajv: ['settings'],
  '@sinclair/typebox': ['settings', 'wire'],
  'write-file-atomic': ['settings'],
  winston: ['ops'],
  'winston-transport': ['ops'],
  'prom-client': ['ops'],
  maxmind: ['agents'],
  'structured-headers': ['agents'],
  commander: ['cli'],
  'qrcode-generator': ['cli'],
  yaml: ['settings'],
  'ipaddr.js': ['domain'],
  tldts: ['settings'],
}

/** What the widget may take from the service: the wire types, and the one shared source of the unit of work and of how a solution is spelled. */
const WIDGET_MAY_IMPORT: Record<string, 'types' | 'values'> = {
  'wire.ts': 'types',
  'work/s32.ts': 'values',
  'work/spell-solution.ts': 'values',
}

/** Modules of the tests that start a real Redis, proxy or browser. */
const REAL_PROGRAMS =
  /^playwright-core$|support\/(programs|chromium|redis|proxies|sentinel|cluster|firefox|namespaces)\.|\/(world|browser)\//

interface Import {
  readonly from: string
  readonly typesOnly: boolean
}

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort()

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8')
  const found = text.matchAll(
    /^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  )
  return [...found].map((match) => ({ from: (match[2] ?? match[3] ?? match[4])!, typesOnly: match[1] !== undefined }))
}

/** `domain/site-rules` of `domain/site-rules/visit-rules.ts`; a file beside the rooms is a room of its own name. */
const room = (file: string): string =>
  file.includes(sep) ? dirname(file).replaceAll(sep, '/') : file.replace(/\.ts$/, '')
const topOf = (name: string): string => name.split('/')[0]!
const mayEnter = (here: string, there: string): boolean =>
  here === there ||
  MAY_IMPORT[here]!.some((each) => each === there || (topOf(each) !== topOf(here) && there.startsWith(`${each}/`)))
const packageOf = (from: string): string =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')

describe('src', () => {
  test('has at most 14 rooms, and docs/design/overview.md says what each of them holds', () => {
    const rooms = new Set(
      files(src)
        .filter((file) => file.includes(sep))
        .map((file) => topOf(room(file))),
    )
    const overview = readFileSync(join(root, 'docs/design/overview.md'), 'utf8')
    const described = [...overview.matchAll(/^\| `([a-z]+)\/` \| .{20,} \|$/gm)].map((row) => row[1])
    expect(new Set(described)).toEqual(rooms)
    expect(rooms.size).toBeLessThanOrEqual(14)
  })

  test.each(files(src))('%s imports only what its room may', (file) => {
    const here = room(file)
    if (WIRING.has(here)) return
    expect(Object.keys(MAY_IMPORT)).toContain(here)
    const wrong: string[] = []
    for (const { from } of importsOf(join(src, file)).filter((each) => each.from.startsWith('.'))) {
      const there = room(relative(src, join(src, dirname(file), from)))
      if (!mayEnter(here, there))
        wrong.push(`${file} imports ${from}: ${here}/ may import ${[here, ...MAY_IMPORT[here]!].join(', ')}`)
    }
    expect(wrong).toEqual([])
  })

  test.each(files(src))('%s uses libraries that live in its room', (file) => {
    const wrong: string[] = []
    for (const { from } of importsOf(join(src, file))) {
      if (from.startsWith('.') || from.startsWith('node:')) continue
      const rooms = LIVES_IN[packageOf(from)]
      if (!rooms?.includes(topOf(room(file))))
        wrong.push(`${file} imports ${from}, which lives in ${rooms?.join(', ') ?? 'no room'}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('the widget', () => {
  test.each(files(widget))('%s imports nothing of the service but what both sides share', (file) => {
    const wrong: string[] = []
    for (const { from, typesOnly } of importsOf(join(widget, file)).filter((each) => each.from.startsWith('.'))) {
      const target = join(widget, dirname(file), from)
      // Its own, the published types beside them included.
      if (!relative(dirname(widget), target).startsWith('..')) continue
      const allowed = WIDGET_MAY_IMPORT[relative(src, target).replaceAll(sep, '/')]
      if (allowed === undefined)
        wrong.push(`${file} imports ${from}; the widget may import ${Object.keys(WIDGET_MAY_IMPORT).join(', ')}`)
      if (allowed === 'types' && !typesOnly) wrong.push(`${file} imports values of ${from}; types only`)
    }
    expect(wrong).toEqual([])
  })
})

describe('the dashboard', () => {
  test.each(files(dashboard))('%s imports nothing of the service but the types of its one answer', (file) => {
    const wrong: string[] = []
    for (const { from, typesOnly } of importsOf(join(dashboard, file))) {
      const target = join(dashboard, dirname(file), from)
      const own = from.startsWith('.') && !relative(dashboard, target).startsWith('..')
      const answer = typesOnly && relative(src, target) === join('ops', 'last-hour-answer.ts')
      if (!own && !answer) wrong.push(`${file} imports ${from}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('packages/client', () => {
  test.each(files(client))('%s imports its own files only', (file) => {
    expect(importsOf(join(client, file)).filter(({ from }) => !/^\.\/[\w-]+\.ts$/.test(from))).toEqual([])
  })
})

describe('tiers', () => {
  const core = Object.entries(CORE).flatMap(([tier, rows]) => Object.keys(rows).map((row) => `${tier}/${row}.test.ts`))

  test.each(core)('test/%s, a part of npm test, exists', (file) => {
    expect(files(join(root, 'test'))).toContain(file)
  })

  test.each(['rooms', 'whole'])('test/%s needs Node.js alone', (tier) => {
    const folder = join(root, 'test', tier)
    for (const file of files(folder)) {
      const needs = importsOf(join(folder, file)).filter(({ from }) => REAL_PROGRAMS.test(from))
      expect({ file, needs }).toEqual({ file, needs: [] })
    }
  })
})
