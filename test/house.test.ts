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
  cors: ['http'],
  'proxy-addr': ['http'],
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
  '@commander-js/extra-typings': ['cli'],
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

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort()

interface Import {
  readonly from: string
  readonly typesOnly: boolean
  /** The file that is meant, from `src` on; a package has none. */
  readonly target: string | undefined
}

function importsOf(folder: string, file: string): Import[] {
  const text = readFileSync(join(folder, file), 'utf8')
  const found = text.matchAll(
    /^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  )
  return [...found].map(([, type, ...names]) => {
    const from = names.find((name) => name !== undefined)!
    const target = from.startsWith('.')
      ? relative(src, join(folder, dirname(file), from)).replaceAll(sep, '/')
      : undefined
    return { from, typesOnly: type !== undefined, target }
  })
}

/** A test for each file of a folder: it imports nothing that this says is wrong. */
function everyFile(folder: string, title: string, isAllowed: (one: Import, file: string) => boolean): void {
  test.each(files(folder))(`%s ${title}`, (file) => {
    const wrong = importsOf(folder, file).filter((one) => !isAllowed(one, file))
    expect(wrong.map(({ from }) => `${file} imports ${from}`)).toEqual([])
  })
}

/** `domain/site-rules` of `domain/site-rules/visit-rules.ts`; a file beside the rooms is a room of its own name. */
const room = (file: string): string => (file.includes('/') ? dirname(file) : file.replace(/\.ts$/, ''))
const topOf = (name: string): string => name.split('/')[0]!
const mayEnter = (here: string, there: string): boolean =>
  here === there ||
  MAY_IMPORT[here]!.some((each) => each === there || (topOf(each) !== topOf(here) && there.startsWith(`${each}/`)))
const packageOf = (from: string): string => /^(@[^/]+\/)?[^/]+/.exec(from)![0]

describe('src', () => {
  test('has at most 14 rooms', () => {
    const inRooms = files(src).filter((file) => file.includes(sep))
    expect(new Set(inRooms.map(topOf)).size).toBeLessThanOrEqual(14)
  })

  everyFile(src, 'imports only what its room may', ({ target }, file) => {
    const here = room(file)
    return target === undefined || WIRING.has(here) || mayEnter(here, room(target))
  })

  everyFile(src, 'uses libraries that live in its room', ({ from, target }, file) => {
    const isOwn = target !== undefined || from.startsWith('node:')
    return isOwn || LIVES_IN[packageOf(from)]?.includes(topOf(room(file))) === true
  })
})

everyFile(widget, 'of the widget imports nothing of the service but what both sides share', ({ target, typesOnly }) => {
  // Its own, the published types beside them included.
  if (target === undefined || target.startsWith('../widget/')) return true
  const allowed = WIDGET_MAY_IMPORT[target]
  return allowed === 'values' || (allowed === 'types' && typesOnly)
})

const TITLE = 'of the dashboard imports nothing of the service but the types of its one answer'
everyFile(dashboard, TITLE, ({ target = '', typesOnly }) => {
  return target.startsWith('../dashboard/src/') || (typesOnly && target === 'ops/last-hour-answer.ts')
})

everyFile(client, 'of packages/client imports its own files only', ({ from }) => /^\.\/[\w-]+\.ts$/.test(from))

describe('tiers', () => {
  const core = Object.entries(CORE).flatMap(([tier, rows]) => Object.keys(rows).map((row) => `${tier}/${row}.test.ts`))

  test.each(core)('test/%s, part of npm test, exists', (file) => {
    expect(files(join(root, 'test'))).toContain(file)
  })

  for (const tier of ['rooms', 'whole'])
    everyFile(join(root, 'test', tier), 'needs Node.js alone', ({ from }) => !REAL_PROGRAMS.test(from))
})
