/** The house rules that a machine can check: who may import whom, and which library lives where. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { CORE } from './tiers.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')
const client = join(root, 'packages', 'client', 'src')
const gate = join(root, 'packages', 'gate', 'src')
const widget = join(root, 'widget', 'src')
const dashboard = join(root, 'dashboard', 'src')

/**
 * The rooms of `src`, from the ground up. A room imports itself and these, each of which stands above it in this list; what is
 * listed is imported somewhere. docs/design/overview.md describes each of them.
 */
const HOUSE: Record<string, readonly string[]> = {
  domain: [],
  proof: [],
  score: ['domain', 'proof'],
  work: ['domain'],
  schema: ['domain'],
  store: ['domain'],
  ops: ['domain'],
  claims: ['domain', 'proof', 'score', 'work'],
  wire: ['domain', 'proof', 'score', 'work'],
  settings: ['domain', 'schema', 'score', 'work'],
  tokens: ['claims', 'domain', 'proof', 'schema', 'work'],
  operations: ['claims', 'domain', 'proof', 'score', 'wire', 'work'],
  agents: ['domain', 'settings'],
  http: ['claims', 'domain', 'operations', 'schema', 'wire'],
  doctor: ['domain', 'settings', 'store', 'tokens', 'wire', 'work'],
  demo: ['domain', 'http', 'score', 'settings', 'wire'],
}
/** The shelves of the store, in the same way. `store/stores.ts` puts them together. */
const SHELVES: Record<string, readonly string[]> = {
  redis: [],
  ledger: ['redis'],
  limits: ['redis'],
  history: ['redis'],
}
/** They connect the rooms: each may import every room, and those of these that stand before it. */
const WIRING = [
  'node-version.cjs',
  'package',
  'closers',
  'app',
  'assemble',
  'serve',
  'embedded-config',
  'create-service',
  'cli',
  'main',
]

/** Who may import each library, mostly one room. The demonstration site is a customer's application, so it may be an Express one. */
const LIVES_IN: Record<string, readonly string[]> = {
  '@human-verification/client': ['demo'],
  express: ['http', 'demo'],
  helmet: ['http'],
  cors: ['http'],
  'proxy-addr': ['http'],
  jose: ['tokens'],
  ioredis: ['store'],
  'rate-limiter-flexible': ['store'],
  ajv: ['schema'],
  '@sinclair/typebox': ['settings', 'wire'],
  'write-file-atomic': ['settings'],
  winston: ['ops'],
  'winston-transport': ['ops'],
  'prom-client': ['ops', 'assemble', 'create-service'],
  maxmind: ['agents'],
  'structured-headers': ['agents'],
  '@commander-js/extra-typings': ['cli'],
  yaml: ['settings'],
  'ipaddr.js': ['domain'],
  leven: ['schema'],
  tldts: ['schema'],
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
function everyFile(
  folder: string,
  title: string,
  isAllowed: (one: Import, file: string) => boolean,
): void {
  test.each(files(folder))(`%s ${title}`, (file) => {
    const wrong = importsOf(folder, file).filter((one) => !isAllowed(one, file))
    expect(wrong.map(({ from }) => `${file} imports ${from}`)).toEqual([])
  })
}

/** `domain` of `domain/site-rules/visit-rules.ts`; a file beside the rooms is a room with its name. */
const room = (file: string): string => file.split(/[\\/]/)[0]!.replace(/\.ts$/, '')
const packageOf = (from: string): string => /^(@[^/]+\/)?[^/]+/.exec(from)![0]
const isPackage = ({ from, target }: Import): boolean =>
  target === undefined && !from.startsWith('node:')

/** What each room imports: rooms and packages. */
const imported = files(src).flatMap((file) =>
  importsOf(src, file).map((one) => ({
    here: room(file),
    there: one.target && room(one.target),
    one,
  })),
)

describe('src', () => {
  test('has at most 16 rooms', () => {
    const inRooms = files(src).filter((file) => file.includes(sep))
    expect(new Set(inRooms.map(room)).size).toBeLessThanOrEqual(16)
  })

  everyFile(src, 'imports only what its room may', ({ target }, file) => {
    const here = room(file)
    if (target === undefined || room(target) === here) return true
    const rank = WIRING.indexOf(here)
    return rank < 0
      ? HOUSE[here]!.includes(room(target))
      : room(target) in HOUSE || WIRING.slice(0, rank).includes(room(target))
  })

  everyFile(join(src, 'store'), 'imports only what its shelf may', ({ target }, file) => {
    const here = room(file)
    if (target === undefined || room(target) !== 'store' || here === 'stores') return true
    const there = room(target.slice('store/'.length))
    return there === here || SHELVES[here]!.includes(there)
  })

  everyFile(src, 'uses libraries that live in its room', (one, file) => {
    return !isPackage(one) || LIVES_IN[packageOf(one.from)]?.includes(room(file)) === true
  })

  test.each(Object.entries(HOUSE))(
    '%s imports only rooms that stand above it in the list',
    (name, rooms) => {
      const order = Object.keys(HOUSE)
      expect(order.slice(0, order.indexOf(name))).toEqual(expect.arrayContaining([...rooms]))
    },
  )

  test.each(Object.entries(HOUSE))('%s imports each room that it may', (name, rooms) => {
    const used = new Set(imported.filter(({ here }) => here === name).map(({ there }) => there))
    expect(rooms.filter((each) => !used.has(each))).toEqual([])
  })

  test.each(Object.entries(LIVES_IN))('%s is used where it may be', (library, rooms) => {
    const own = imported.filter(({ one }) => isPackage(one) && packageOf(one.from) === library)
    const users = new Set(own.map(({ here }) => here))
    expect(rooms.filter((each) => !users.has(each))).toEqual([])
  })
})

/** Files that import values of more than MOST_IMPORTS files of ours, and how many. The numbers only shrink. */
const IMPORTS_MORE: Readonly<Record<string, number>> = {
  'src/app.ts': 11,
  'src/assemble.ts': 16,
  'src/cli/run.ts': 18,
  'src/create-service.ts': 12,
  'src/operations/accept-work.ts': 13,
  'src/operations/issue-challenge.ts': 12,
  'src/operations/solve-challenge.ts': 13,
  'widget/src/widget.ts': 12,
}
const MOST_IMPORTS = 10

test.each([src, client, gate, widget, dashboard])('files of %s import few others', (folder) => {
  const wrong = files(folder).flatMap((file) => {
    const own = importsOf(folder, file).filter((one) => one.target !== undefined && !one.typesOnly)
    const count = new Set(own.map(({ target }) => target)).size
    const name = relative(root, join(folder, file)).replaceAll(sep, '/')
    return count > (IMPORTS_MORE[name] ?? MOST_IMPORTS) ? [`${name} imports ${count}`] : []
  })
  expect(wrong).toEqual([])
})

test.each([src, widget, client, gate])('%s has no circle of imports', (folder) => {
  const next = new Map(
    files(folder).map((file) => {
      const own = importsOf(folder, file).flatMap(({ from }) =>
        from.startsWith('.') ? [join(dirname(file), from)] : [],
      )
      return [file, own]
    }),
  )
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    else if (!done.has(file)) for (const each of next.get(file) ?? []) visit(each, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  expect(circles).toEqual([])
})

everyFile(
  widget,
  'of the widget imports nothing of the service but what both sides share',
  ({ target, typesOnly }) => {
    // Its own, the published types beside them included.
    if (target === undefined || target.startsWith('../widget/')) return true
    const allowed = WIDGET_MAY_IMPORT[target]
    return allowed === 'values' || (allowed === 'types' && typesOnly)
  },
)

const TITLE = 'of the dashboard imports nothing of the service but the types of its one answer'
everyFile(dashboard, TITLE, ({ target = '', typesOnly }) => {
  return (
    target.startsWith('../dashboard/src/') || (typesOnly && target === 'ops/last-hour-answer.ts')
  )
})

everyFile(client, 'of packages/client imports its own files only', ({ from }) =>
  /^\.\/[\w-]+\.ts$/.test(from),
)

/** A customer of the service: it knows the service by its address. One library, one file. */
const GATE_USES: Readonly<Record<string, readonly string[]>> = {
  '@human-verification/client': ['exchange.ts'],
  '@sinclair/typebox': ['settings.ts'],
  ajv: ['findings.ts', 'read-settings.ts'],
  'ipaddr.js': ['ranges.ts', 'visit.ts'],
  jose: ['clearances.ts'],
  leven: ['findings.ts'],
  'prom-client': ['meters.ts'],
  'rate-limiter-flexible': ['agents.ts', 'clearances.ts'],
  yaml: ['problems.ts'],
}
/** What the gate compiles of the service's own source, by its tsconfig.shared.json: how signatures of agents are verified, and that a token has one spelling. */
const GATE_SHARES = new Set([
  '#shared/agents/key-file',
  '#shared/agents/verify-signature',
  '#shared/domain/named-agent',
  '#shared/domain/one-spelling',
  '#shared/domain/parse-url',
  '#shared/domain/words',
])
everyFile(
  gate,
  'of packages/gate imports its own files, and libraries where they live',
  ({ from }, file) => {
    return (
      /^\.\/[\w-]+\.ts$/.test(from) ||
      from.startsWith('node:') ||
      GATE_SHARES.has(from) ||
      GATE_USES[packageOf(from)]?.includes(file) === true
    )
  },
)

describe('the WordPress plug-in', () => {
  const plugin = join(root, 'packages', 'wordpress')
  const php = readdirSync(plugin, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.php'),
  )
  const textOf = (file: string) => readFileSync(join(plugin, file), 'utf8')

  test.each(php)('%s has no line of more than 120 columns', (file) => {
    const lines = textOf(file).replaceAll('\t', ' '.repeat(4)).split('\n')
    expect(lines.filter((line) => line.length > 120)).toEqual([])
  })

  test('loads each of its files', () => {
    const main = textOf('human-verification.php')
    const parts = php.filter((file) => file.startsWith(`includes${sep}`))
    const isLoaded = (file: string) => main.includes(`'/${file.replaceAll(sep, '/')}'`)
    expect(parts.filter((file) => !isLoaded(file))).toEqual([])
  })
})

/** The floors of the gate, from the ground up: a file imports only files of the floors below its own. */
const GATE_FLOORS = [
  ['own-files'],
  [
    'answers',
    'dialects',
    'findings',
    'guest-lists',
    'identity',
    'keys',
    'log',
    'meters',
    'problems',
    'ranges',
  ],
  ['fetched-lists', 'page', 'process-signals', 'public-get', 'readings', 'settings', 'visit'],
  ['guests', 'host-names', 'key-directories', 'listener', 'rule-index'],
  ['agents', 'read-settings'],
  ['visitors'],
  ['clearances', 'fetch-metadata', 'operators', 'rules'],
  ['exchange', 'hosts'],
  ['gatekeeper', 'replay', 'trial'],
  ['watched-settings'],
  ['proxy-answers'],
  ['serve', 'doctor'],
  ['cli', 'middleware'],
  ['main'],
]

test('each file of packages/gate has a floor', () => {
  expect(files(gate).map(room)).toEqual(GATE_FLOORS.flat().toSorted())
})

everyFile(gate, 'of packages/gate imports nothing of its own floor or above', ({ from }, file) => {
  const floorOf = (name: string): number => GATE_FLOORS.findIndex((each) => each.includes(name))
  return !from.startsWith('./') || floorOf(room(from.slice(2))) < floorOf(room(file))
})

const core = Object.entries(CORE).flatMap(([tier, rows]) =>
  Object.keys(rows).map((row) => `${tier}/${row}.test.ts`),
)

test.each(core)('test/%s, part of npm test, exists', (file) => {
  expect(files(join(root, 'test'))).toContain(file)
})

for (const tier of ['rooms', 'whole'])
  everyFile(
    join(root, 'test', tier),
    'needs Node.js alone',
    ({ from }) => !REAL_PROGRAMS.test(from),
  )
