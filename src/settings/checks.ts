/** What the table cannot say of one setting alone: settings that must fit each other. */
import { ANY_AGENT } from '../domain/named-agent.ts'
import { parseUrl } from '../domain/parse-url.ts'
import { parseAddressRange, rangeSet } from '../domain/site-rules/ranges.ts'
import { parseDuration } from '../domain/time.ts'
import { RULES } from '../score/rules.ts'
import { leastHumanCost } from '../work/difficulty.ts'
import { parseHostPort } from '../schema/kinds.ts'
import { didYouMean, type Finding, type Path, unexpected } from '../schema/problem.ts'
import { DEMO_SECRET_SHA256, isGuessable } from './secrets.ts'
import type { Written } from './table.ts'

type Site = NonNullable<NonNullable<Written['sites']>[number]>
type Rule = NonNullable<NonNullable<Site['rules']>[number]>
type Redis = NonNullable<Written['redis']>
type Named = { readonly name?: string | undefined } | undefined

const wrongName = (path: Path, says: string): Finding => ({ path, says, atKey: true })

/**
 * Finds settings that do not fit each other, in a file that may be wrong elsewhere: every problem is found at once.
 *
 * @param file with the defaults, and without what has the wrong type, which the table names.
 */
export function* crossCheck(file: Written): Iterable<Finding> {
  const { agents = [], network: { lists = [] } = {}, sites = [] } = file
  yield* edge(file)
  yield* redis(file)
  yield* shared(['network', 'lists'], lists, 'name', ' (each name belongs to one list)')
  yield* shared(['agents'], agents, 'name')
  for (const [index, each] of agents.entries()) yield* agent(each ?? {}, ['agents', index], 'public_url' in file)
  yield* score(file.score, ['score'])
  // Two sites with one name, or one secret, would make it chance whose policy judges.
  yield* shared(['sites'], sites, 'sitekey', ' (each sitekey belongs to one place)')
  yield* same(
    sites.flatMap((each, index) =>
      (each?.secrets ?? []).map((secret, at) => [secret?.sha256, ['sites', index, 'secrets', at, 'sha256']] as const),
    ),
    ' (each secret belongs to one place)',
  )
  for (const [index, each] of sites.entries()) if (each) yield* site(each, ['sites', index], file)
}

const namesOf = (list: readonly Named[] = []): readonly string[] => list.flatMap((each) => each?.name ?? [])

/** Reports each value that stood at an earlier place. */
function* same(claims: readonly (readonly [value: string | undefined, place: Path])[], note: string) {
  const places = new Map<string, Path>()
  for (const [value, path] of claims) {
    if (value === undefined) continue
    const sameAs = places.get(value)
    if (sameAs) yield { path, says: note, sameAs }
    else places.set(value, path)
  }
}
const shared = <K extends string>(
  path: Path,
  list: readonly ({ readonly [N in K]?: string | undefined } | undefined)[],
  by: K,
  note = '',
): Iterable<Finding> =>
  same(
    list.map((each, index) => [each?.[by], [...path, index, by]]),
    note,
  )

function* agent(each: NonNullable<Named>, path: Path, hasUrl: boolean): Iterable<Finding> {
  const [hasKeys, hasRanges] = ['keys' in each, 'ranges' in each]
  if (each.name === ANY_AGENT) yield { path: [...path, 'name'], says: 'is reserved: in a rule it means every agent' }
  const got = hasKeys ? 'both (a rule may name two agents)' : 'neither'
  if (hasKeys === hasRanges) yield { path, says: `expected keys or ranges, got ${got}` }
  if (hasKeys && !hasUrl) yield wrongName([...path, 'keys'], 'needs public_url: a signature is made for a host')
}

const isEverywhere = (host: string): boolean => host === '0.0.0.0' || host === '::'

function* edge({ listen = '', ops_listen = '', trusted_proxies = [], client_ip_header }: Written): Iterable<Finding> {
  const [a, b] = [parseHostPort(listen), parseHostPort(ops_listen)]
  const isOneHost = a?.host === b?.host || [a, b].some((each) => each && isEverywhere(each.host))
  if (a && b && a.port !== 0 && a.port === b.port && isOneHost)
    yield unexpected(['ops_listen'], 'two different addresses for listen and ops_listen', ops_listen)

  if (trusted_proxies.length === 0 && client_ip_header?.toLowerCase() !== 'x-forwarded-for')
    yield { path: ['client_ip_header'], says: 'needs trusted_proxies: only they may set this header' }
  // Ranges that are harmless one by one, such as 0.0.0.0/1 with 128.0.0.0/1.
  const set = rangeSet(trusted_proxies.flatMap((each = '') => parseAddressRange(each) ?? []))
  const covered = ([4, 6] as const).filter((family) => {
    const last = (1n << (family === 4 ? 32n : 64n)) - 1n
    return set.covers({ family, first: 0n, last }) === 'all'
  })
  const says = `expected your own proxies; together these trust every address of ${covered.map((each) => `IPv${each}`).join(' and ')}`
  if (covered.length > 0) yield { path: ['trusted_proxies'], says }
}

function* redis(file: Written): Iterable<Finding> {
  const { redis: group, ledger } = file
  if (!('redis' in file) && (ledger?.partitions ?? 1) > 1)
    yield { path: ['ledger', 'partitions'], says: 'needs redis: the embedded ledger has one partition' }
  const says = 'is missing: with redis every process needs the same keys (hv keygen makes the file)'
  if ('redis' in file && !('keyring' in file)) yield { path: ['keyring'], says }
  if (group === undefined) return
  const ways = ['url', 'cluster', 'sentinel'].filter((name) => name in group)
  if (ways.length === 1) yield* misplaced(group, ways[0]!)
  else {
    const got = ways.length === 0 ? 'none of them' : ways.join(' and ')
    yield wrongName(['redis'], `expected exactly one of url, cluster, sentinel, got ${got}`)
  }
}

/** Refuses a setting that would be ignored in silence, a password above all. */
function* misplaced(group: Redis, way: string): Iterable<Finding> {
  const { url = '', tls } = group
  const has = (name: string): boolean => name in group
  const byUrl = way === 'url'
  const isAlone = (of: string): boolean => !has(`${of}password`) && !has(`${of}password_file`)
  const rows: readonly (readonly [name: string, isWrong: boolean, says: string])[] = [
    ['username', byUrl, 'belongs in the url'],
    ['password', byUrl, 'belongs in the url'],
    ['tls', byUrl && tls === true, 'is for cluster and sentinel: in a url write rediss://'],
    ['password_file', byUrl && (parseUrl(url)?.password ?? '') !== '', 'needs a url without a password'],
    ['ca', byUrl ? !url.startsWith('rediss:') : tls !== true, 'needs TLS: rediss:// or tls: true'],
    ['username', isAlone(''), 'needs password or password_file beside it'],
    ['password_file', has('password'), 'excludes password: name one of the two'],
    ['sentinel_username', way !== 'sentinel', 'belongs to sentinel'],
    ['sentinel_password', way !== 'sentinel', 'belongs to sentinel'],
    ['sentinel_password_file', way !== 'sentinel', 'belongs to sentinel'],
    ['sentinel_username', isAlone('sentinel_'), 'needs sentinel_password or sentinel_password_file beside it'],
    ['sentinel_password_file', has('sentinel_password'), 'excludes sentinel_password: name one of the two'],
  ]
  for (const [name, isWrong, says] of rows) if (isWrong && has(name)) yield wrongName(['redis', name], says)
}

/** Reports names that are none of those that exist. */
function* strangers(
  path: Path,
  names: readonly (string | undefined)[] = [],
  known: readonly string[],
  says: string,
  otherwise?: string,
): Iterable<Finding> {
  for (const [index, name] of names.entries())
    if (name !== undefined && !known.includes(name))
      yield { path: [...path, index], says: `${says}${didYouMean(name, known, otherwise)}` }
}

const RULE_NAMES = RULES.map(({ name }) => name)
const NO_RULE = ['is no rule of the score', ' (docs/design/scoring.md has them)'] as const

/** Names that exist, weights that keep their direction, bounds around 0. */
function* score({ weights = {}, off = [], bounds = {} }: Written['score'] = {}, path: Path): Iterable<Finding> {
  for (const [name, value = 0] of Object.entries(weights)) {
    const place = [...path, 'weights', name]
    const { weight } = RULES.find((each) => each.name === name) ?? {}
    if (weight === undefined) yield wrongName(place, `${NO_RULE[0]}${didYouMean(name, RULE_NAMES, NO_RULE[1])}`)
    else if (Math.sign(value) * Math.sign(weight) < 0) {
      const [side, range] = weight < 0 ? ['against', '-10 to 0'] : ['for', '0 to 10']
      yield unexpected(place, `a number from ${range}`, value, `this rule counts ${side} a visitor`)
    }
  }
  yield* strangers([...path, 'off'], off, RULE_NAMES, ...NO_RULE)
  for (const [index, name = ''] of off.entries())
    if (name in weights) yield { path: [...path, 'off', index], says: 'also has a weight: name it in one place only' }
  const bound = 'expected a minimum of at most 0 and a maximum of at least 0'
  for (const [family, [least = 0, most = 0] = []] of Object.entries(bounds))
    if (least > 0 || most < 0) yield { path: [...path, 'bounds', family], says: `${bound}, got [${least}, ${most}]` }
}

function* site(each: Site, path: Path, file: Written): Iterable<Finding> {
  const { default_action: preset, rules = [] } = each
  const policies = (each.actions ?? []).map((policy) => (typeof policy === 'string' ? { name: policy } : policy))
  const actions = namesOf(policies)
  if (preset !== undefined && actions.length > 0 && !actions.includes(preset))
    yield unexpected([...path, 'default_action'], `one of actions (${actions.join(', ')})`, preset)
  yield* secrets(each, path)
  yield* score(each.score, [...path, 'score'])
  yield* work(each.work, [...path, 'work'])
  if (each.agents === true && !file.agents?.length)
    yield wrongName([...path, 'agents'], 'needs agents of the configuration: there is none to name')
  yield* same(
    policies.map((policy, index) => [policy?.name, [...path, 'actions', index]]),
    '',
  )
  yield* shared([...path, 'pass_keys'], each.pass_keys ?? [], 'kid')
  yield* shared([...path, 'rules'], rules, 'name')
  for (const [index, { when, effect: result } = {}] of rules.entries()) {
    yield* conditions(when, [...path, 'rules', index, 'when'], actions, file)
    yield* effect(result, [...path, 'rules', index, 'effect'], each.work?.max_level ?? 8)
  }
}

const LOCAL_HOSTNAMES: ReadonlySet<string | undefined> = new Set(['localhost', '127.0.0.1', '[::1]'])

function* secrets({ sitekey, name, hostnames = [], secrets: list = [] }: Site, path: Path): Iterable<Finding> {
  const names = [sitekey, name, ...hostnames].filter((each) => each !== undefined)
  const isElsewhere = !hostnames.every((each) => LOCAL_HOSTNAMES.has(each))
  for (const [index, { sha256 = '' } = {}] of list.entries()) {
    const place: Path = [...path, 'secrets', index, 'sha256']
    const guessed = 'is the hash of a secret that is easily guessed: hv site rotate makes one with 256 bits'
    if (isGuessable(sha256, names)) yield { path: place, says: guessed }
    const published = 'is the published secret of the demonstration: only for localhost, 127.0.0.1 and [::1]'
    if (sha256 === DEMO_SECRET_SHA256 && isElsewhere) yield { path: place, says: published }
  }
}

function* work({ level = 0, max_level: most, human_cost: cost }: Site['work'] = {}, path: Path): Iterable<Finding> {
  if (most !== undefined && most < level)
    yield unexpected([...path, 'max_level'], `at least level, which is ${level}`, most)
  const least = leastHumanCost(level)
  if (cost !== undefined && parseDuration(cost)! < least) {
    const range = `${least}s to 120s, since level ${level} takes a slow phone that long`
    yield unexpected([...path, 'human_cost'], range, cost)
  }
}

function* conditions(
  when: Rule['when'] = {},
  path: Path,
  actions: readonly string[],
  { agents, network: { lists, mmdb } = {} }: Written,
): Iterable<Finding> {
  yield* strangers([...path, 'list'], when.list, namesOf(lists), 'is none of network.lists')
  yield* strangers(
    [...path, 'agent'],
    when.agent,
    agents?.length ? [...namesOf(agents), ANY_AGENT] : [],
    'is none of agents',
  )
  for (const fact of ['asn', 'country'] as const)
    if (when[fact] !== undefined && !mmdb?.length)
      yield wrongName([...path, fact], 'needs network.mmdb: without a file nothing is known of it')
  for (const [index, each = ''] of (when.action ?? []).entries())
    if (actions.length > 0 && !actions.includes(each))
      yield unexpected([...path, 'action', index], 'one of the site’s actions', each)
  if ('zone' in when && !('hour' in when)) yield wrongName([...path, 'zone'], 'is the zone of hour, which is missing')
}

function* effect(group: Rule['effect'] = {}, path: Path, maxLevel: number): Iterable<Finding> {
  const effects = Object.keys(group)
  const alone = effects.find((name) => name === 'allow' || name === 'deny')
  if (alone !== undefined && effects.length > 1)
    yield { path, says: `expected ${alone} alone, or score and work, got ${effects.join(' and ')}` }
  if (group.work !== undefined && group.work > maxLevel)
    yield unexpected([...path, 'work'], `at most the site’s work.max_level, which is ${maxLevel}`, group.work)
}
