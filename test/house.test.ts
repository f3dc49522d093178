/** The house rules that a machine can check: who may import whom, which library lives where, one word for one thing. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { CORE } from './tiers.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')
const widget = join(root, 'widget', 'src')
const dashboard = join(root, 'dashboard', 'src')

/**
 * A room may import itself and these; `main.ts`, `hv.ts`, `programs/`, `app.ts`, `serve.ts` and `reloadable.ts` wire the
 * rooms. A room of another name stands for its sub-rooms too: `domain` allows `domain/score`. Between the sub-rooms of one
 * room each arrow is named.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  // Rules: the same input gives the same answer.
  domain: ['domain/proof', 'domain/score', 'domain/site-rules'],
  'domain/proof': [],
  'domain/score': ['domain', 'domain/proof', 'domain/score/rules', 'domain/site-rules'],
  'domain/score/rules': ['domain', 'domain/score'],
  'domain/site-rules': ['domain'],
  'domain/work': ['domain'],
  ports: ['domain'],
  wire: ['domain'],
  // Node.js made cheaper: deadlines, turns of the event loop, random ids, short memories.
  runtime: ['domain', 'ports'],
  protocol: ['domain', 'ports', 'runtime', 'wire'],
  'http/api': ['domain', 'ports', 'protocol', 'runtime', 'schema', 'wire'],
  'http/server': ['domain', 'http/api', 'runtime'],
  // Delete this folder and its two uses in app.ts, and the service is slower, not wrong.
  'http/fast-path': ['http/server'],
  'http/ops': ['domain', 'http/api', 'http/server', 'ports'],
  token: ['domain', 'ports', 'runtime'],
  // The connection to Redis, and what calls through it cost.
  redis: ['domain', 'ports', 'runtime'],
  ledger: ['domain', 'ports', 'redis'],
  limits: ['domain', 'ports', 'redis'],
  // Counts of addresses, sites and behaviour, in Redis and in process.
  history: ['domain', 'ports', 'redis', 'runtime'],
  // Facts that local files hold about an address: country, network, data centre, exit node.
  network: ['domain', 'ports'],
  // Agents that prove who they are: signatures under keys of local files, addresses of local lists.
  agents: ['domain', 'network', 'ports'],
  config: ['config/checks', 'config/schema', 'config/yaml', 'domain', 'schema'],
  'config/checks': ['config', 'domain', 'schema'],
  'config/edit': ['config', 'config/checks', 'config/yaml', 'domain', 'schema'],
  'config/reload': ['config', 'config/yaml'],
  'config/schema': ['config', 'domain', 'schema'],
  'config/yaml': ['config', 'schema'],
  schema: [],
  ops: ['domain', 'ops/fleet', 'ops/metrics', 'ports'],
  'ops/fleet': ['ops/metrics', 'ports'],
  'ops/log': ['ports'],
  'ops/metrics': ['domain', 'ports'],
  // Several processes of one command, on one port.
  processes: ['ports'],
  // Test mode: plays outcomes around the operations.
  scenarios: ['domain', 'ports', 'protocol', 'wire'],
  // The OpenAPI document.
  openapi: ['domain', 'http', 'ports', 'schema', 'wire'],
  // The customer's side: knows the service by its address only.
  client: [],
  demo: ['client'],
  // A visitor without a browser, and the attacks it tries on a customer's handler.
  doctor: ['domain', 'wire'],
  // Commands of the operator; they work on files, and look at the ledger, but never at a running service.
  cli: [
    'agents',
    'cli/shells',
    'config',
    'doctor',
    'domain',
    'ledger',
    'network',
    'openapi',
    'ports',
    'redis',
    'token',
  ],
  'cli/shells': ['cli'],
}
const WIRING = new Set(['main', 'hv', 'programs', 'app', 'serve', 'reloadable'])

/** One library, one room. The demonstration site is a customer's application, so it may be an Express one. */
const LIVES_IN: Record<string, readonly string[]> = {
  express: ['http', 'demo', 'app'],
  helmet: ['http'],
  jose: ['token'],
  ioredis: ['redis'],
  'rate-limiter-flexible': ['limits'],
  ajv: ['schema'],
  winston: ['ops'],
  'winston-transport': ['ops'],
  'prom-client': ['ops'],
  maxmind: ['network'],
  'qrcode-generator': ['cli'],
  yaml: ['config'],
  'ipaddr.js': ['domain'],
  tldts: ['config'],
}

/** Exported by several files of which a customer imports one: `@human-verification/kit/express`, `/fastify`, `/hono`, `/next`. */
const SAME_BY_DESIGN = ['requireHuman']

/** What the widget may take from the service: the wire types, the one shared source of the unit of work and of how a solution is spelled, and what the proof agrees on. */
const WIDGET_MAY_IMPORT: Record<string, 'types' | 'values'> = {
  'wire.ts': 'types',
  'domain/work/s32.ts': 'values',
  'domain/work/spell-solution.ts': 'values',
  'domain/proof/agreed.ts': 'values',
}

/** docs/contribute/style.md, "Words", right column: names that mean something we have another word for. */
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

/** docs/contribute/style.md, "Code": identifiers are nouns for things and verbs for acts. */
const PARTICIPLES =
  'found known asked kept given wanted told seen counted said held met heard owed named answered moved made added'

/** Members that programs of an operator read. */
const VISIBLE: Record<string, string> = {
  'kept in src/domain/score/explanation.ts': 'hv explain --json prints it',
  'kept in src/cli/explanation-text.ts': 'it reads that member of the explanation',
  'met in src/cli/rules-test.ts': 'hv rules test --json prints it, and it is the word of an outcome',
}

/** Comments, texts, templates and regular expressions. */
const NO_CODE =
  /\/\*[^]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`|(?<=[(,=:[!&|?{}\s])\/(?![/*\s])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g

/** Modules of the tests that start a real Redis, proxy or browser. */
const REAL_PROGRAMS =
  /^playwright-core$|support\/(programs|chromium|redis|haproxy|nginx|sentinel|cluster|firefox|namespaces)\.|\/(world|browser)\//

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

/** `config/yaml` of `config/yaml/parse.ts`; a file beside the rooms is a room of its own name. */
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

  test('docs/contribute/rooms.md lists every room, and who may import it', () => {
    const page = readFileSync(join(root, 'docs', 'contribute', 'rooms.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `([\w/-]+)` \| .+ \| (.+) \|$/gm)].map(([, name, by]) => [name, by])
    const rooms = Object.keys(MAY_IMPORT)
    const importers = rooms.map((name) => {
      const by = rooms.filter((other) => other !== name && mayEnter(other, name))
      if (by.length > 12) return [name, 'most rooms']
      return [name, by.map((other) => `\`${other}\``).join(', ') || 'the wiring only']
    })
    expect(rows.slice(0, rooms.length)).toEqual(importers)
  })

  test('only hv.ts reads the environment', () => {
    const readers = files(src).filter((file) =>
      /\bprocess\.env\b|\{ env \} = process/.test(readFileSync(join(src, file), 'utf8')),
    )
    expect(readers).toEqual(['hv.ts'])
  })

  test('URLs are parsed by parseUrl(): URL.canParse() has two answers for one text', () => {
    const callers = files(src).filter((file) => /\bcanParse\(/.test(readFileSync(join(src, file), 'utf8')))
    expect(callers).toEqual([])
  })

  test('answers leave by send() of response-head.ts, or below the application: no header is lost', () => {
    const writers = files(join(src, 'http')).filter((file) =>
      /\.(setHeader|writeHead|removeHeader)\(/.test(readFileSync(join(src, 'http', file), 'utf8')),
    )
    expect(writers).toEqual(['api/response-head.ts', 'server/listen.ts', 'server/overload.ts'])
  })

  test('the body of a failure is spelled once', () => {
    const spellers = files(join(src, 'http')).filter((file) =>
      /success: false, 'error-codes': codes|"error-codes"/.test(readFileSync(join(src, 'http', file), 'utf8')),
    )
    expect(spellers).toEqual(['api/failure.ts'])
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
      const answer = typesOnly && relative(src, target) === join('ops', 'fleet', 'fleet-answer.ts')
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

  /**
   * Looks for the word alone in the code, so that it needs no parser: a name that is nowhere used is nowhere declared. Skips
   * `value.word`, whose declaration it sees, and the expressions of templates.
   */
  test('nothing is named found, kept, told or another such participle', () => {
    const alone = new RegExp(`(?<![\\w$]|(?<!\\.)\\.)(?:${PARTICIPLES.replaceAll(' ', '|')})(?![\\w$])`, 'g')
    const places = all.flatMap((file) => {
      const code = readFileSync(file, 'utf8').replace(NO_CODE, "''")
      return [...code.matchAll(alone)].map(([word]) => `${word} in ${relative(root, file).replaceAll(sep, '/')}`)
    })
    expect([...new Set(places)].sort()).toEqual(Object.keys(VISIBLE).sort())
  })

  test('files are named for the thing inside', () => {
    const vague = all.filter((file) => /(helper|manager|service|util|common|misc)s?\.ts$/.test(file))
    expect(vague.map((file) => relative(root, file))).toEqual([])
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
