import { isZone, parseHours } from '../../domain/site-rules/hours.ts'
import { nearest } from '../../schema/nearest.ts'
import type { Path } from '../../schema/schema.ts'
import { proxyFinding } from './addresses.ts'
import { DEFAULTS } from '../defaults.ts'
import { type Finding, wants } from '../finding.ts'
import { entries, member, number, text } from './unknown-values.ts'
import { formatPath } from '../path.ts'
import { parseMoment } from './secrets.ts'

/** What the configuration's files can tell of an address. */
interface KnownNetworks {
  readonly lists: readonly string[]
  readonly mmdb: boolean
}

export function knownNetworks(file: unknown): KnownNetworks {
  const network = member(file, 'network')
  const lists = entries(member(network, 'lists')).map(([, list]) => text(member(list, 'name')) ?? '')
  return { lists, mmdb: entries(member(network, 'mmdb')).length > 0 }
}

/** What a schema cannot say of a site's rules: a rule that could never be met, or says two things, is a slip. */
export function* visitRuleFindings(site: unknown, sitePath: Path, networks: KnownNetworks): Iterable<Finding> {
  const names = new Map<string, Path>()
  for (const [index, rule] of entries(member(site, 'rules'))) {
    const path: Path = [...sitePath, 'rules', index]
    const name = text(member(rule, 'name'))
    const earlier = name === undefined ? undefined : names.get(name)
    if (earlier) yield { path: [...path, 'name'], says: `is the same as ${formatPath(earlier)}` }
    else if (name !== undefined) names.set(name, [...path, 'name'])
    yield* conditionFindings(member(rule, 'when'), [...path, 'when'], site, networks)
    yield* effectFindings(member(rule, 'effect'), [...path, 'effect'], site)
    const until = text(member(rule, 'until'))
    if (until !== undefined && parseMoment(until) === undefined) {
      const hint = /^\d{4}-\d\d-\d\d$/.test(until) ? `${until}T00:00:00Z?` : undefined
      yield wants([...path, 'until'], 'a time with its offset, such as 2027-01-01T00:00:00Z', until, hint)
    }
  }
}

function* conditionFindings(when: unknown, path: Path, site: unknown, networks: KnownNetworks): Iterable<Finding> {
  for (const [index, value] of entries(member(when, 'cidr'))) {
    const range = text(value)
    const finding = range === undefined ? undefined : rangeFinding([...path, 'cidr', index], range)
    if (finding) yield finding
  }
  for (const [index, value] of entries(member(when, 'list'))) {
    const name = text(value)
    if (name === undefined || networks.lists.includes(name)) continue
    const near = nearest(name, networks.lists)
    const hint = near === undefined ? '' : ` (did you mean ${near}?)`
    yield { path: [...path, 'list', index], says: `is none of network.lists${hint}` }
  }
  for (const fact of ['asn', 'country']) {
    if (member(when, fact) === undefined || networks.mmdb) continue
    yield { path: [...path, fact], says: 'needs network.mmdb: without a file nothing is known of it', atKey: true }
  }
  const actions = entries(member(site, 'actions')).map(([, action]) => action)
  for (const [index, action] of entries(member(when, 'action'))) {
    if (actions.length === 0 || actions.includes(action)) continue
    yield wants([...path, 'action', index], 'one of the site’s actions', action)
  }
  yield* hourFindings(when, path)
}

function* hourFindings(when: unknown, path: Path): Iterable<Finding> {
  const [hour, zone] = [text(member(when, 'hour')), text(member(when, 'zone'))]
  if (hour !== undefined && parseHours(hour) === undefined) {
    yield wants([...path, 'hour'], 'hours from and to, such as 9-17 or 22-6', hour)
  }
  if (zone === undefined) return
  if (!isZone(zone)) yield wants([...path, 'zone'], 'a time zone, such as Europe/Berlin', zone)
  if (member(when, 'hour') === undefined) {
    yield { path: [...path, 'zone'], says: 'is the zone of hour, which is missing', atKey: true }
  }
}

function rangeFinding(path: Path, range: string): Finding | undefined {
  // Unlike among proxies, everybody is somebody to have a rule for.
  if (['0.0.0.0/0', '::/0'].includes(range)) return undefined
  if (range.endsWith('/0')) return wants(path, 'everybody as 0.0.0.0/0 and ::/0', range)
  const finding = proxyFinding(path, range)
  if (finding) return finding
  const bits = range.includes(':') && range.includes('/') ? Number(range.split('/')[1]) : 0
  if (bits > 64) return wants(path, 'at most /64', range, 'IPv6 visitors are known by their /64')
  return undefined
}

function* effectFindings(effect: unknown, path: Path, site: unknown): Iterable<Finding> {
  const effects = ['allow', 'deny', 'score', 'work'].filter((name) => member(effect, name) !== undefined)
  const alone = effects.find((name) => name === 'allow' || name === 'deny')
  if (alone !== undefined && effects.length > 1) {
    yield { path, says: `wants ${alone} alone, or score and work; got ${effects.join(' and ')}` }
  }
  const settings = member(site, 'work')
  const most = number(member(settings, 'max_level')) ?? DEFAULTS.max_level
  const work = number(member(effect, 'work'))
  if (work !== undefined && work > most) {
    yield wants([...path, 'work'], `at most the site’s work.max_level, which is ${most}`, work)
  }
}
