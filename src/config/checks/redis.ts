import { parseUrl } from '../../domain/parse-url.ts'
import type { Path } from '../../schema/schema.ts'
import { hostPortFinding, redisUrlFinding } from './addresses.ts'
import { type Finding, wants } from '../finding.ts'
import { entries, member, number, text } from './unknown-values.ts'

/** What must fit together where Redis is named, and where the ledger is spread. */
export function* redisFindings(file: unknown): Iterable<Finding> {
  const group = member(file, 'redis')
  const partitions = number(member(member(file, 'ledger'), 'partitions'))
  if (group === undefined) {
    if (partitions !== undefined && partitions > 1) {
      yield { path: ['ledger', 'partitions'], says: 'wants redis: the embedded ledger is one piece' }
    }
    return
  }
  const ways = ['url', 'cluster', 'sentinel'].filter((name) => member(group, name) !== undefined)
  if (ways.length !== 1) {
    const got = ways.length === 0 ? 'none of them' : ways.join(' and ')
    yield { path: ['redis'], says: `wants exactly one of url, cluster, sentinel; got ${got}`, atKey: true }
  } else yield* companions(group, ways[0]!)
  yield* places(group)
  if (member(file, 'keyring') === undefined) {
    yield {
      path: ['keyring'],
      says: 'is missing: with redis every process needs the same keys (hv keygen makes the file)',
      near: ['redis'],
      atKey: true,
    }
  }
}

function* places(group: unknown): Iterable<Finding> {
  const url = text(member(group, 'url'))
  const finding = url === undefined ? undefined : redisUrlFinding(['redis', 'url'], url)
  if (finding) yield finding
  for (const place of [['cluster'], ['sentinel', 'nodes']] as const) {
    for (const [index, value] of entries(place.reduce<unknown>(member, group))) {
      const node = text(value)
      const path: Path = ['redis', ...place, index]
      const wrong = node === undefined ? undefined : hostPortFinding(path, node, 1)
      if (wrong) yield wrong
    }
  }
}

const hasPassword = (url = ''): boolean => (parseUrl(url)?.password ?? '') !== ''

const misplaced = (name: string, says: string): Finding => ({ path: ['redis', name], says, atKey: true })

/** A setting that would be passed over in silence, a password above all, is refused instead. */
function* companions(group: unknown, way: string): Iterable<Finding> {
  const has = (name: string): boolean => member(group, name) !== undefined
  if (way === 'url') {
    for (const name of ['username', 'password'].filter(has)) yield misplaced(name, 'belongs into the url')
    if (has('password_file') && hasPassword(text(member(group, 'url'))))
      yield misplaced('password_file', 'wants a url without a password')
    if (has('tls')) yield misplaced('tls', 'belongs to cluster and sentinel: a url says it with rediss://')
  } else yield* alone('')
  for (const whose of ['', 'sentinel_'])
    if (has(`${whose}password`) && has(`${whose}password_file`))
      yield misplaced(`${whose}password_file`, `wants no ${whose}password beside it`)
  if (way !== 'sentinel') {
    const names = ['sentinel_username', 'sentinel_password', 'sentinel_password_file'].filter(has)
    for (const name of names) yield misplaced(name, 'belongs to sentinel')
  } else yield* alone('sentinel_')
  function* alone(whose: string): Iterable<Finding> {
    if (!has(`${whose}username`) || has(`${whose}password`) || has(`${whose}password_file`)) return
    yield misplaced(`${whose}username`, `wants ${whose}password or ${whose}password_file beside it`)
  }
  const encrypted = way === 'url' ? text(member(group, 'url'))?.startsWith('rediss:') : member(group, 'tls') === true
  if (has('ca') && encrypted !== true) yield wants(['redis', 'ca'], 'TLS: rediss:// or tls: true', member(group, 'ca'))
}
