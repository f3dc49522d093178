import { ANY_AGENT } from '../domain/named-agent.ts'
import { parseUrl } from '../domain/parse-url.ts'
import { RULES } from '../score/rules.ts'
import { parseAddressRange, rangeSet } from '../domain/site-rules/ranges.ts'
import { parseDuration } from '../domain/time.ts'
import { leastHumanCost } from '../work/difficulty.ts'
import { parseHostPort } from './kinds.ts'
import { didYouMean, type Finding, formatPath, type Path, unexpected } from './problem.ts'
import { DEMO_SECRET_SHA256, isGuessable } from './secrets.ts'

/**
 * Checks what the table cannot say of one setting alone: settings that must fit each other. Looks at a file that may be
 * wrong elsewhere, so that every problem is found at once; what has the wrong type is passed over, since the table names it.
 *
 * @param file with the defaults filled in.
 */
export function crossCheck(file: unknown): readonly Finding[] {
  const known = {
    lists: items(file, 'network', 'lists').map((list) => text(list, 'name') ?? ''),
    hasMmdb: items(file, 'network', 'mmdb').length > 0,
    agents: items(file, 'agents').map((agent) => text(agent, 'name') ?? ''),
  }
  return [
    ...listeners(file),
    ...proxies(file),
    ...redis(file),
    ...sameNames(file, ['network', 'lists'], ' (each list has a name of its own)'),
    ...agents(file),
    ...score(member(file, 'score'), ['score']),
    ...sharedNames(file),
    ...items(file, 'sites').flatMap((each, index) => [...site(each, ['sites', index], known)]),
  ]
}

interface Known {
  readonly lists: readonly string[]
  readonly hasMmdb: boolean
  readonly agents: readonly string[]
}

/** Looks into values of unknown shape; what is not there, or not of the kind asked for, is undefined. */
function member(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    value,
  )
}
function text(value: unknown, ...names: readonly string[]): string | undefined {
  const found = member(value, ...names)
  return typeof found === 'string' ? found : undefined
}
function number(value: unknown, ...names: readonly string[]): number | undefined {
  const found = member(value, ...names)
  return typeof found === 'number' ? found : undefined
}
function items(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = member(value, ...names)
  return Array.isArray(found) ? found : []
}
const has = (value: unknown, name: string): boolean => member(value, name) !== undefined

const isEverywhere = (host: string): boolean => host === '0.0.0.0' || host === '::'

function* listeners(file: unknown): Iterable<Finding> {
  const [listen, ops] = [text(file, 'listen') ?? '', text(file, 'ops_listen') ?? '']
  const [a, b] = [parseHostPort(listen), parseHostPort(ops)]
  if (!a || !b || a.port === 0 || a.port !== b.port) return
  if (a.host === b.host || isEverywhere(a.host) || isEverywhere(b.host))
    yield unexpected(['ops_listen'], 'two different addresses for listen and ops_listen', ops)
}

function* proxies(file: unknown): Iterable<Finding> {
  const ranges = items(file, 'trusted_proxies').filter((each) => typeof each === 'string')
  if (ranges.length === 0 && text(file, 'client_ip_header')?.toLowerCase() !== 'x-forwarded-for') {
    yield { path: ['client_ip_header'], says: 'needs trusted_proxies: nobody else’s word on the visitor is believed' }
  }
  // Ranges that are harmless one by one, such as 0.0.0.0/1 with 128.0.0.0/1; `/0` is refused by itself.
  const set = rangeSet(ranges.filter((each) => !each.endsWith('/0')).flatMap((each) => parseAddressRange(each) ?? []))
  for (const family of [4, 6] as const) {
    if (set.covers({ family, first: 0n, last: (1n << (family === 4 ? 32n : 64n)) - 1n }) === 'all')
      yield {
        path: ['trusted_proxies'],
        says: `expected your own proxies; together these believe everybody of IPv${family}`,
      }
  }
}

function* redis(file: unknown): Iterable<Finding> {
  const group = member(file, 'redis')
  if (group === undefined) {
    if ((number(file, 'ledger', 'partitions') ?? 1) > 1)
      yield { path: ['ledger', 'partitions'], says: 'needs redis: the embedded ledger is one piece' }
    return
  }
  const ways = ['url', 'cluster', 'sentinel'].filter((name) => has(group, name))
  if (ways.length === 1) yield* companions(group, ways[0]!)
  else {
    const got = ways.length === 0 ? 'none of them' : ways.join(' and ')
    yield { path: ['redis'], says: `expected exactly one of url, cluster, sentinel, got ${got}`, atKey: true }
  }
  if (!has(file, 'keyring'))
    yield {
      path: ['keyring'],
      says: 'is missing: with redis every process needs the same keys (hv keygen makes the file)',
      near: ['redis'],
      atKey: true,
    }
}

const misplaced = (name: string, says: string): Finding => ({ path: ['redis', name], says, atKey: true })

/** A setting that would be passed over in silence, a password above all, is refused instead. */
function* companions(group: unknown, way: string): Iterable<Finding> {
  const url = text(group, 'url') ?? ''
  if (way === 'url') {
    for (const name of ['username', 'password']) if (has(group, name)) yield misplaced(name, 'belongs into the url')
    if (has(group, 'password_file') && (parseUrl(url)?.password ?? '') !== '')
      yield misplaced('password_file', 'needs a url without a password')
    if (member(group, 'tls') === true)
      yield misplaced('tls', 'belongs to cluster and sentinel: a url says it with rediss://')
  }
  for (const whose of way === 'url' ? [] : way === 'cluster' ? [''] : ['', 'sentinel_']) {
    const [name, password, file] = ['username', 'password', 'password_file'].map((each) => `${whose}${each}`)
    if (has(group, name!) && !has(group, password!) && !has(group, file!))
      yield misplaced(name!, `needs ${password} or ${file} beside it`)
  }
  for (const whose of ['', 'sentinel_'])
    if (has(group, `${whose}password`) && has(group, `${whose}password_file`))
      yield misplaced(`${whose}password_file`, `excludes ${whose}password: name one of the two`)
  if (way !== 'sentinel')
    for (const name of ['sentinel_username', 'sentinel_password', 'sentinel_password_file'])
      if (has(group, name)) yield misplaced(name, 'belongs to sentinel')
  const isEncrypted = way === 'url' ? url.startsWith('rediss:') : member(group, 'tls') === true
  if (has(group, 'ca') && !isEncrypted)
    yield unexpected(['redis', 'ca'], 'TLS: rediss:// or tls: true', member(group, 'ca'))
}

function* sameNames(value: unknown, path: Path, more = '', prefix: Path = [], by = 'name'): Iterable<Finding> {
  const names = new Map<string, Path>()
  for (const [index, each] of items(value, ...(path as string[])).entries()) {
    const name = text(each, by)
    const place = [...prefix, ...path, index, by]
    const earlier = name === undefined ? undefined : names.get(name)
    if (earlier) yield { path: place, says: `is the same as ${formatPath(earlier)}${more}` }
    else if (name !== undefined) names.set(name, place)
  }
}

function* agents(file: unknown): Iterable<Finding> {
  yield* sameNames(file, ['agents'])
  for (const [index, agent] of items(file, 'agents').entries()) {
    const path: Path = ['agents', index]
    if (text(agent, 'name') === ANY_AGENT)
      yield { path: [...path, 'name'], says: 'is every agent in a rule, and no agent’s name' }
    if (has(agent, 'keys') === has(agent, 'ranges')) {
      const which = has(agent, 'keys') ? 'both (a rule may name two agents)' : 'neither'
      yield { path, says: `expected keys or ranges, got ${which}` }
    }
    if (has(agent, 'keys') && !has(file, 'public_url'))
      yield { path: [...path, 'keys'], says: 'needs public_url: a signature is made for a host', atKey: true }
  }
}

const RULE_NAMES = RULES.map(({ name }) => name)

const unknownRule = (name: string): string =>
  `is no rule of the score${didYouMean(name, RULE_NAMES, ' (docs/design/scoring.md has them)')}`

/** Names that exist, weights that keep their direction, bounds around 0. */
function* score(group: unknown, path: Path): Iterable<Finding> {
  const members = (name: string): readonly [string, unknown][] => {
    const value = member(group, name)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).slice(0, 500)
      : []
  }
  for (const [name, value] of members('weights')) {
    const place = [...path, 'weights', name]
    const rule = RULES.find((each) => each.name === name)
    if (!rule) yield { path: place, says: unknownRule(name), atKey: true }
    else if (typeof value === 'number' && Math.sign(value) * Math.sign(rule.weight) < 0) {
      const [side, range] = rule.weight < 0 ? ['against', '-10 to 0'] : ['for', '0 to 10']
      yield unexpected(place, `a number from ${range}`, value, `this rule speaks ${side} a visitor`)
    }
  }
  for (const [index, name] of items(group, 'off').slice(0, 500).entries()) {
    const place = [...path, 'off', index]
    if (typeof name !== 'string') continue
    if (!RULE_NAMES.includes(name)) yield { path: place, says: unknownRule(name) }
    else if (has(member(group, 'weights'), name))
      yield { path: place, says: 'has a weight, too: name it in one of both' }
  }
  for (const [family, value] of members('bounds')) {
    const [least, most] = Array.isArray(value) ? (value as unknown[]) : []
    if (typeof least !== 'number' || typeof most !== 'number' || (least <= 0 && most >= 0)) continue
    yield { path: [...path, 'bounds', family], says: `expected at most 0 and at least 0, got ${least} and ${most}` }
  }
}

/** Two sites with one name, or one secret, would make it chance whose policy judges. */
function* sharedNames(file: unknown): Iterable<Finding> {
  const owners = { sitekey: new Map<string, Path>(), secret: new Map<string, Path>() }
  for (const [index, each] of items(file, 'sites').entries()) {
    const path: Path = ['sites', index]
    const claims = [
      { kind: 'sitekey', value: text(each, 'sitekey'), place: [...path, 'sitekey'] },
      ...items(each, 'secrets').map((secret, at) => ({
        kind: 'secret' as const,
        value: text(secret, 'sha256'),
        place: [...path, 'secrets', at, 'sha256'],
      })),
    ] as const
    for (const { kind, value, place } of claims) {
      if (value === undefined) continue
      const earlier = owners[kind].get(value)
      if (earlier === undefined) owners[kind].set(value, place)
      else yield { path: place, says: `(each ${kind} belongs to one place)`, sameAs: earlier }
    }
  }
}

const LOCAL_HOSTNAMES: ReadonlySet<unknown> = new Set(['localhost', '127.0.0.1', '[::1]'])

function* site(each: unknown, path: Path, known: Known): Iterable<Finding> {
  const actions = items(each, 'actions')
  const preset = text(each, 'default_action')
  if (preset !== undefined && actions.length > 0 && !actions.includes(preset))
    yield unexpected([...path, 'default_action'], `one of actions (${actions.join(', ')})`, preset)
  yield* secrets(each, path)
  yield* score(member(each, 'score'), [...path, 'score'])
  yield* work(member(each, 'work'), [...path, 'work'])
  if (member(each, 'agents') === true && known.agents.length === 0)
    yield { path: [...path, 'agents'], says: 'needs agents of the configuration: there is none to name', atKey: true }
  yield* sameNames(each, ['pass_keys'], '', path, 'kid')
  yield* sameNames(each, ['rules'], '', path)
  for (const [index, rule] of items(each, 'rules').entries()) {
    const place: Path = [...path, 'rules', index]
    yield* conditions(member(rule, 'when'), [...place, 'when'], actions, known)
    yield* effect(member(rule, 'effect'), [...place, 'effect'], number(each, 'work', 'max_level') ?? 8)
  }
}

function* secrets(each: unknown, path: Path): Iterable<Finding> {
  const hostnames = items(each, 'hostnames')
  const names = [text(each, 'sitekey'), text(each, 'name'), ...hostnames].filter((name) => typeof name === 'string')
  for (const [index, secret] of items(each, 'secrets').entries()) {
    const place: Path = [...path, 'secrets', index, 'sha256']
    const hash = text(secret, 'sha256') ?? ''
    if (isGuessable(hash, names))
      yield {
        path: place,
        says: 'is the hash of a secret that is easily guessed: hv site rotate makes one with 256 bits',
      }
    if (hash === DEMO_SECRET_SHA256 && !hostnames.every((name) => LOCAL_HOSTNAMES.has(name)))
      yield {
        path: place,
        says: 'is the published secret of the demonstration: only for localhost, 127.0.0.1 and [::1]',
      }
  }
}

function* work(group: unknown, path: Path): Iterable<Finding> {
  const [level = 0, most] = [number(group, 'level'), number(group, 'max_level')]
  if (most !== undefined && most < level && level <= 8)
    yield unexpected([...path, 'max_level'], `at least level, which is ${level}`, most)
  const least = level >= 0 && level <= 8 ? leastHumanCost(level) : 1
  const cost = text(group, 'human_cost')
  const longest = cost === undefined ? undefined : parseDuration(cost)
  if (longest !== undefined && longest < least) {
    const range = `${least}s to 120s, since level ${level} takes a slow phone that long`
    yield unexpected([...path, 'human_cost'], range, cost)
  }
}

function* conditions(when: unknown, path: Path, actions: readonly unknown[], known: Known): Iterable<Finding> {
  for (const [index, name] of items(when, 'list').entries()) {
    if (typeof name !== 'string' || known.lists.includes(name)) continue
    yield { path: [...path, 'list', index], says: `is none of network.lists${didYouMean(name, known.lists)}` }
  }
  for (const [index, name] of items(when, 'agent').entries()) {
    if (typeof name !== 'string' || known.agents.includes(name)) continue
    if (name === ANY_AGENT && known.agents.length > 0) continue
    yield { path: [...path, 'agent', index], says: `is none of agents${didYouMean(name, known.agents)}` }
  }
  for (const fact of ['asn', 'country']) {
    if (has(when, fact) && !known.hasMmdb)
      yield { path: [...path, fact], says: 'needs network.mmdb: without a file nothing is known of it', atKey: true }
  }
  for (const [index, action] of items(when, 'action').entries()) {
    if (actions.length > 0 && !actions.includes(action))
      yield unexpected([...path, 'action', index], 'one of the site’s actions', action)
  }
  if (has(when, 'zone') && !has(when, 'hour'))
    yield { path: [...path, 'zone'], says: 'is the zone of hour, which is missing', atKey: true }
}

function* effect(group: unknown, path: Path, maxLevel: number): Iterable<Finding> {
  const effects = ['allow', 'deny', 'score', 'work'].filter((name) => has(group, name))
  const alone = effects.find((name) => name === 'allow' || name === 'deny')
  if (alone !== undefined && effects.length > 1)
    yield { path, says: `expected ${alone} alone, or score and work, got ${effects.join(' and ')}` }
  const level = number(group, 'work')
  if (level !== undefined && level > maxLevel)
    yield unexpected([...path, 'work'], `at most the site’s work.max_level, which is ${maxLevel}`, level)
}
