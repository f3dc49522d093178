/** Checks settings against each other; the table checks each one alone. */
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

type Part<Of, Name extends keyof Of> = NonNullable<Of[Name]>
type Item<Of, Name extends keyof Of> =
  Part<Of, Name> extends readonly (infer T)[] ? NonNullable<T> : never
type Site = Item<Written, 'sites'>
type Rule = Item<Site, 'rules'>
type Named = { readonly name?: string | undefined }

/** An entry of the file, and what is written there; undefined if it is missing or has the wrong type. */
class Entry<T> {
  readonly value: T | undefined
  readonly path: Path
  constructor(value: T | undefined, path: Path = []) {
    this.value = value
    this.path = path
  }
  at<K extends string & keyof T>(name: K): Entry<Part<T, K>> {
    return new Entry(this.value?.[name] ?? undefined, [...this.path, name])
  }
  /** Reports whether the name is written, even if its value is wrong. */
  has = (name: string): boolean => Object.hasOwn(this.value ?? {}, name)
  problem = (says: string): Finding => ({ path: this.path, says })
  /** Points at the name instead of the value. */
  nameProblem = (says: string): Finding => ({ path: this.path, says, atKey: true })
  unexpected = (expected: string, hint?: string): Finding =>
    unexpected(this.path, expected, this.value, hint)
}

const itemsOf = <T>({ value = [], path }: Entry<readonly (T | undefined)[]>): readonly Entry<T>[] =>
  value.map((item, index) => new Entry(item, [...path, index]))
const namesOf = (list: Entry<readonly (Named | undefined)[]>) =>
  itemsOf(list).map((each) => each.at('name'))
const valuesOf = <T>(places: readonly Entry<T>[]): readonly T[] =>
  places.flatMap(({ value }) => value ?? [])

/**
 * Finds settings that do not fit each other, in a file that may have other problems: all are reported at once.
 *
 * @param written with the defaults, and without values of the wrong type, which the table reports.
 */
export function* crossCheck(written: Written): Iterable<Finding> {
  const file = new Entry(written)
  const agents = itemsOf(file.at('agents'))
  const sites = itemsOf(file.at('sites'))
  const sitekeys = sites.map((each) => each.at('sitekey'))
  const hashes = sites
    .flatMap((each) => itemsOf(each.at('secrets')))
    .map((each) => each.at('sha256'))
  yield* listeners(file)
  yield* trustedProxies(file)
  yield* redis(file)
  yield* unique(namesOf(file.at('network').at('lists')), ' (each name belongs to one list)')
  yield* unique(namesOf(file.at('agents')))
  for (const each of agents) yield* agent(each, file.has('public_url'))
  yield* score(file.at('score'))
  // If two sites shared a sitekey or a secret, chance would decide whose policy judges.
  yield* unique(sitekeys, ' (each sitekey belongs to one place)')
  yield* unique(hashes, ' (each secret belongs to one place)')
  for (const each of sites) if (each.value) yield* site(each, file)
}

function* unique(places: readonly Entry<string>[], note = ''): Iterable<Finding> {
  const earlier = new Map<string, Path>()
  for (const { value, path } of places) {
    if (value === undefined) continue
    const sameAs = earlier.get(value)
    if (sameAs) yield { path, says: note, sameAs }
    else earlier.set(value, path)
  }
}

/** Reports names of things that do not exist. */
function* unknownNames(
  names: readonly Entry<string>[],
  known: readonly string[],
  says: string,
  otherwise?: string,
) {
  for (const name of names)
    if (name.value !== undefined && !known.includes(name.value))
      yield name.problem(`${says}${didYouMean(name.value, known, otherwise)}`)
}

function* agent(each: Entry<Item<Written, 'agents'>>, hasUrl: boolean): Iterable<Finding> {
  const hasKeys = each.has('keys')
  const hasRanges = each.has('ranges')
  const name = each.at('name')
  if (name.value === ANY_AGENT) yield name.problem('is reserved: in a rule it means every agent')
  const got = hasKeys ? 'both (a rule may name two agents)' : 'neither'
  if (hasKeys === hasRanges) yield each.problem(`expected keys or ranges, got ${got}`)
  if (hasKeys && !hasUrl)
    yield each.at('keys').nameProblem('needs public_url: a signature is made for a host')
}

const EVERY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function* listeners(file: Entry<Written>): Iterable<Finding> {
  const opsListen = file.at('ops_listen')
  const main = parseHostPort(file.at('listen').value ?? '')
  const ops = parseHostPort(opsListen.value ?? '')
  if (!main || !ops || main.port === 0 || main.port !== ops.port) return
  const isOneHost = main.host === ops.host || EVERY_HOST.has(main.host) || EVERY_HOST.has(ops.host)
  if (isOneHost) yield opsListen.unexpected('two different addresses for listen and ops_listen')
}

function* trustedProxies(file: Entry<Written>): Iterable<Finding> {
  const proxies = file.at('trusted_proxies')
  const header = file.at('client_ip_header')
  if (!proxies.value?.length && header.value?.toLowerCase() !== 'x-forwarded-for')
    yield header.problem('needs trusted_proxies: only they may set this header')
  // Ranges that are harmless one by one, such as 0.0.0.0/1 with 128.0.0.0/1.
  const set = rangeSet(valuesOf(itemsOf(proxies)).flatMap((each) => parseAddressRange(each) ?? []))
  const last = { 4: (1n << 32n) - 1n, 6: (1n << 64n) - 1n }
  const covered = ([4, 6] as const).filter(
    (family) => set.covers({ family, first: 0n, last: last[family] }) === 'all',
  )
  const families = covered.map((each) => `IPv${each}`).join(' and ')
  if (families)
    yield proxies.problem(
      `expected your own proxies; together these trust every address of ${families}`,
    )
}

function* redis(file: Entry<Written>): Iterable<Finding> {
  const group = file.at('redis')
  const partitions = file.at('ledger').at('partitions')
  if (!file.has('redis') && (partitions.value ?? 1) > 1)
    yield partitions.problem('needs redis: the embedded ledger has one partition')
  const missing =
    'is missing: with redis every process needs the same keys (hv keygen makes the file)'
  if (file.has('redis') && !file.has('keyring')) yield file.at('keyring').problem(missing)
  if (group.value === undefined) return
  const ways = ['url', 'cluster', 'sentinel'].filter((name) => group.has(name))
  const got = ways.join(' and ') || 'none of them'
  if (ways.length === 1) yield* misplaced(group, ways[0]!)
  else yield group.nameProblem(`expected exactly one of url, cluster, sentinel, got ${got}`)
}

/** Refuses a setting that would be ignored in silence, a password above all. */
function* misplaced(group: Entry<Part<Written, 'redis'>>, way: string): Iterable<Finding> {
  const { url = '', tls } = group.value ?? {}
  const byUrl = way === 'url'
  const isAlone = (of: string): boolean =>
    !group.has(`${of}password`) && !group.has(`${of}password_file`)
  const rows = [
    [['username', 'password'], byUrl, 'belongs in the url'],
    [['tls'], byUrl && tls === true, 'is for cluster and sentinel: in a url write rediss://'],
    [
      ['password_file'],
      byUrl && (parseUrl(url)?.password ?? '') !== '',
      'needs a url without a password',
    ],
    [
      ['ca'],
      byUrl ? !url.startsWith('rediss:') : tls !== true,
      'needs TLS: rediss:// or tls: true',
    ],
    [['username'], isAlone(''), 'needs password or password_file beside it'],
    [['password_file'], group.has('password'), 'excludes password: name one of the two'],
    [
      ['sentinel_username', 'sentinel_password', 'sentinel_password_file'],
      way !== 'sentinel',
      'belongs to sentinel',
    ],
    [
      ['sentinel_username'],
      isAlone('sentinel_'),
      'needs sentinel_password or sentinel_password_file beside it',
    ],
    [
      ['sentinel_password_file'],
      group.has('sentinel_password'),
      'excludes sentinel_password: name one of the two',
    ],
  ] as const
  for (const [names, isWrong, says] of rows)
    for (const name of names) if (isWrong && group.has(name)) yield group.at(name).nameProblem(says)
}

const RULE_NAMES = RULES.map(({ name }) => name)
const NO_RULE = ['is not a rule of the score', ' (docs/design/scoring.md has them)'] as const

type ScoreChanges = Part<Written, 'score'>

function* score(changes: Entry<ScoreChanges>): Iterable<Finding> {
  const names = changes.at('weights')
  const off = itemsOf(changes.at('off'))
  yield* weights(names)
  yield* unknownNames(off, RULE_NAMES, ...NO_RULE)
  for (const rule of off)
    if (names.has(rule.value ?? ''))
      yield rule.problem('also has a weight: name it in one place only')
  yield* familyBounds(changes.at('bounds'))
}

/** A weight may change how much a rule counts, not for whom. */
function* weights(changes: Entry<Part<ScoreChanges, 'weights'>>): Iterable<Finding> {
  for (const name of Object.keys(changes.value ?? {})) {
    const change = changes.at(name)
    const rule = RULES.find((each) => each.name === name)
    if (rule === undefined) {
      yield change.nameProblem(`${NO_RULE[0]}${didYouMean(name, RULE_NAMES, NO_RULE[1])}`)
      continue
    }
    const value = change.value ?? 0
    if (rule.weight < 0 && value > 0)
      yield change.unexpected('a number from -10 to 0', 'this rule counts against a visitor')
    if (rule.weight > 0 && value < 0)
      yield change.unexpected('a number from 0 to 10', 'this rule counts for a visitor')
  }
}

function* familyBounds(bounds: Entry<Part<ScoreChanges, 'bounds'>>): Iterable<Finding> {
  for (const family of Object.keys(bounds.value ?? {})) {
    const bound = bounds.at(family)
    const [least = 0, most = 0] = bound.value ?? []
    if (least > 0 || most < 0)
      yield bound.problem(
        `expected a minimum of at most 0 and a maximum of at least 0, got [${least}, ${most}]`,
      )
  }
}

function* site(each: Entry<Site>, file: Entry<Written>): Iterable<Finding> {
  const policies = itemsOf(each.at('actions')).map(
    ({ value, path }) => new Entry(typeof value === 'string' ? value : value?.name, path),
  )
  const actions = valuesOf(policies)
  yield* defaultAction(each, actions)
  yield* secrets(each)
  yield* score(each.at('score'))
  yield* work(each.at('work'))
  yield* namesAgents(each, file)
  yield* unique(policies)
  yield* unique(itemsOf(each.at('pass_keys')).map((key) => key.at('kid')))
  yield* unique(namesOf(each.at('rules')))
  for (const rule of itemsOf(each.at('rules'))) {
    yield* conditions(rule.at('when'), actions, file)
    yield* effect(rule.at('effect'), each.value?.work?.max_level ?? 8)
  }
}

function* defaultAction(each: Entry<Site>, actions: readonly string[]): Iterable<Finding> {
  const action = each.at('default_action')
  if (action.value && actions.length > 0 && !actions.includes(action.value))
    yield action.unexpected(`one of actions (${actions.join(', ')})`)
}

function* namesAgents(each: Entry<Site>, file: Entry<Written>): Iterable<Finding> {
  if (each.value?.agents === true && !file.value?.agents?.length)
    yield each.at('agents').nameProblem('needs agents in the configuration: none are configured')
}

const LOCAL_HOSTNAMES: ReadonlySet<string | undefined> = new Set([
  'localhost',
  '127.0.0.1',
  '[::1]',
])

function* secrets(each: Entry<Site>): Iterable<Finding> {
  const { sitekey, name, hostnames = [] } = each.value ?? {}
  const names = [sitekey, name, ...hostnames].filter((text) => text !== undefined)
  const isElsewhere = !hostnames.every((hostname) => LOCAL_HOSTNAMES.has(hostname))
  for (const hash of itemsOf(each.at('secrets')).map((secret) => secret.at('sha256'))) {
    if (isGuessable(hash.value ?? '', names))
      yield hash.problem(
        'is the hash of a secret that is easily guessed: hv site rotate makes one with 256 bits',
      )
    if (hash.value === DEMO_SECRET_SHA256 && isElsewhere)
      yield hash.problem(
        'is the published secret of the demonstration: only for localhost, 127.0.0.1 and [::1]',
      )
  }
}

function* work(each: Entry<Part<Site, 'work'>>): Iterable<Finding> {
  const most = each.at('max_level')
  const cost = each.at('human_cost')
  const level = each.value?.level ?? 0
  if (most.value !== undefined && most.value < level)
    yield most.unexpected(`at least level, which is ${level}`)
  const least = leastHumanCost(level)
  if (cost.value !== undefined && parseDuration(cost.value)! < least)
    yield cost.unexpected(`${least}s to 120s, since level ${level} takes a slow phone that long`)
}

function* conditions(
  when: Entry<Part<Rule, 'when'>>,
  actions: readonly string[],
  file: Entry<Written>,
) {
  const lists = valuesOf(namesOf(file.at('network').at('lists')))
  yield* unknownNames(itemsOf(when.at('list')), lists, 'is not in network.lists')
  const agents = valuesOf(namesOf(file.at('agents')))
  const known = agents.length > 0 ? [...agents, ANY_AGENT] : []
  yield* unknownNames(itemsOf(when.at('agent')), known, 'is not in agents')
  yield* networkFacts(when, file)
  for (const action of itemsOf(when.at('action')))
    if (actions.length > 0 && !actions.includes(action.value ?? ''))
      yield action.unexpected('one of the site’s actions')
  if (when.has('zone') && !when.has('hour'))
    yield when.at('zone').nameProblem('is the zone of hour, which is missing')
}

function* networkFacts(when: Entry<Part<Rule, 'when'>>, file: Entry<Written>): Iterable<Finding> {
  if (file.value?.network?.mmdb?.length) return
  for (const fact of [when.at('asn'), when.at('country')])
    if (fact.value !== undefined)
      yield fact.nameProblem('needs network.mmdb: without a file nothing is known of it')
}

function* effect(group: Entry<Part<Rule, 'effect'>>, maxLevel: number): Iterable<Finding> {
  const effects = Object.keys(group.value ?? {})
  const alone = effects.find((name) => name === 'allow' || name === 'deny')
  if (alone && effects.length > 1)
    yield group.problem(`expected ${alone} alone, or score and work, got ${effects.join(' and ')}`)
  if ((group.value?.work ?? 0) > maxLevel)
    yield group.at('work').unexpected(`at most the site’s work.max_level, which is ${maxLevel}`)
}
