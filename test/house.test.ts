/** The house rules that a machine can check: who may import whom, which library lives where, one word for one thing. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')
const widget = join(root, 'widget', 'src')
const dashboard = join(root, 'dashboard', 'src')

/** A room may import itself and these. `main.ts`, `app.ts` and `serve.ts` wire the rooms. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  ports: ['domain'],
  wire: ['domain'],
  protocol: ['domain', 'ports', 'wire'],
  // How long something is waited for.
  deadline: [],
  // For how long an address is kept.
  'kept-briefly': ['domain'],
  http: ['deadline', 'domain', 'kept-briefly', 'ports', 'wire', 'protocol', 'schema'],
  token: ['domain', 'kept-briefly', 'ports', 'random'],
  ledger: ['deadline', 'domain', 'ports'],
  limits: ['domain', 'ports'],
  random: ['ports'],
  // What is remembered of addresses, sites and behaviour, in Redis and in process.
  history: ['deadline', 'domain', 'ports'],
  // What local files know of an address: country, network, data centre, exit node.
  network: ['domain', 'ports'],
  config: ['domain', 'schema'],
  schema: [],
  ops: ['domain', 'ports'],
  // Test mode: plays outcomes around the operations.
  scenarios: ['domain', 'ports', 'protocol', 'wire'],
  // What is answered, written down for other people's programs.
  openapi: ['domain', 'http', 'ports', 'schema', 'wire'],
  // The customer's side: knows the service by its address only.
  client: [],
  demo: ['client'],
  // A visitor without a browser, and what it tries at a customer's handler.
  doctor: ['domain', 'wire'],
  // Commands of the operator; they work on files, and look at the ledger, but never at a running service.
  cli: ['config', 'doctor', 'domain', 'ledger', 'network', 'openapi', 'ports', 'token'],
}
const WIRING = new Set(['main', 'app', 'serve', 'reloadable'])

/** One library, one room. The demonstration site is a customer's application, so it may be an Express one. */
const LIVES_IN: Record<string, readonly string[]> = {
  express: ['http', 'demo', 'app'],
  helmet: ['http'],
  jose: ['token'],
  ioredis: ['ledger'],
  'rate-limiter-flexible': ['limits'],
  ajv: ['schema'],
  winston: ['ops'],
  'winston-transport': ['ops'],
  'prom-client': ['ops'],
  maxmind: ['network'],
  yaml: ['config'],
  'ipaddr.js': ['domain'],
  tldts: ['config'],
}

/** Exported by several files of which a customer imports one: `human-verification/express`, `/fastify`, `/hono`, `/next`. */
const SAME_BY_DESIGN = ['requireHuman']

/** What the widget may take from the service: the wire types, the one shared source of the unit of work and of how a solution is spelled, and what the proof agrees on. */
const WIDGET_MAY_IMPORT: Record<string, 'types' | 'values'> = {
  'wire.ts': 'types',
  'domain/s32.ts': 'values',
  'domain/spell-solution.ts': 'values',
  'domain/proof/agreed.ts': 'values',
}

/** STYLE.md's glossary, right column: names that mean something we have another word for. */
const RATHER_THAN: Record<string, string> = {
  siteKey: 'sitekey',
  apiKey: 'secret',
  tenant: 'site',
  tenantId: 'sitekey',
  blacklist: 'ledger',
  redeem: 'consume',
  nonce: 'jti',
  ttl: 'keepFor or a length of time with its unit',
  userIp: 'visitorIp',
  clientIp: 'visitorIp',
  riskScore: 'score',
  errorCode: 'code',
  fingerprint: 'signal',
}

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

const room = (file: string): string => file.split(sep)[0]!.replace(/\.ts$/, '')
const packageOf = (from: string): string =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')

describe('src', () => {
  test.each(files(src))('%s imports only what its room may', (file) => {
    const here = room(file)
    if (WIRING.has(here)) return
    expect(Object.keys(MAY_IMPORT)).toContain(here)
    const wrong: string[] = []
    for (const { from } of importsOf(join(src, file)).filter((each) => each.from.startsWith('.'))) {
      const there = room(relative(src, join(src, dirname(file), from)))
      const sentence = `${file} imports ${from}: ${here}/ may import ${[here, ...MAY_IMPORT[here]!].join(', ')}`
      if (![here, ...MAY_IMPORT[here]!].includes(there)) wrong.push(sentence)
    }
    expect(wrong).toEqual([])
  })

  test.each(files(src))('%s uses libraries that live in its room', (file) => {
    const wrong: string[] = []
    for (const { from } of importsOf(join(src, file))) {
      if (from.startsWith('.') || from.startsWith('node:')) continue
      const rooms = LIVES_IN[packageOf(from)]
      if (!rooms?.includes(room(file)))
        wrong.push(`${file} imports ${from}, which lives in ${rooms?.join(', ') ?? 'no room'}`)
    }
    expect(wrong).toEqual([])
  })

  test('only main.ts reads the environment', () => {
    const readers = files(src).filter((file) =>
      /\bprocess\.env\b|\{ env \} = process/.test(readFileSync(join(src, file), 'utf8')),
    )
    expect(readers).toEqual(['main.ts'])
  })

  test('no name is exported twice: one thing, one word', () => {
    const names = new Map<string, string[]>()
    for (const file of files(src)) {
      const text = readFileSync(join(src, file), 'utf8')
      for (const [, name] of text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)) {
        names.set(name!, [...(names.get(name!) ?? []), file])
      }
    }
    for (const name of SAME_BY_DESIGN) names.delete(name)
    expect([...names].filter(([, where]) => where.length > 1)).toEqual([])
  })
})

describe('the widget', () => {
  test.each(files(widget))('%s imports nothing of the service but what both sides share', (file) => {
    const wrong: string[] = []
    for (const { from, typesOnly } of importsOf(join(widget, file)).filter((each) => each.from.startsWith('.'))) {
      const target = join(widget, dirname(file), from)
      if (!relative(widget, target).startsWith('..')) continue
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
      const answer = typesOnly && relative(src, target) === join('ops', 'fleet-answer.ts')
      if (!own && !answer && from !== 'uplot') wrong.push(`${file} imports ${from}`)
    }
    expect(wrong).toEqual([])
  })
})

describe('words', () => {
  const all = [src, widget, dashboard].flatMap((folder) => files(folder).map((file) => join(folder, file)))

  test.each(Object.entries(RATHER_THAN))('nothing is named %s: we say %s', (name) => {
    const declared = new RegExp(`\\b(?:const|let|function|interface|type|class)\\s+${name}\\b|[({,]\\s*${name}\\??:`)
    expect(all.filter((file) => declared.test(readFileSync(file, 'utf8'))).map((file) => relative(root, file))).toEqual(
      [],
    )
  })

  test('files are named for the thing inside', () => {
    const vague = all.filter((file) => /(helper|manager|service|util|common|misc)s?\.ts$/.test(file))
    expect(vague.map((file) => relative(root, file))).toEqual([])
  })
})
