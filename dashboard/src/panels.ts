import type { CountsBy, FleetAnswer, InstanceView, SiteView } from '../../src/ops/fleet/fleet-answer.ts'
import { healthOf } from './health.ts'
import { byId, type CellText, head, right, rows, show, write } from './page.ts'
import { ago, clockTime, count, milliseconds, number, share } from './texts.ts'

/** Judged and refused. */
const REFUSED = ['timeout-or-duplicate', 'action-mismatch', 'remoteip-mismatch', 'low-score']

export const sumOf = (counts: CountsBy = {}): number => Object.values(counts).reduce((sum, n) => sum + n, 0)
const refusedOf = (counts: CountsBy = {}): number => REFUSED.reduce((sum, code) => sum + (counts[code] ?? 0), 0)

/** Whether all is well, and what is not. */
export function showHealth(answer: FleetAnswer): void {
  const { level, says, problems } = healthOf(answer)
  byId('health').dataset['level'] = level
  write('health-says', says)
  const now = problems.map((problem) => problem.says).join('\n')
  const list = byId('problems')
  if (list.dataset['now'] === now) return
  list.dataset['now'] = now
  list.replaceChildren(
    ...problems.map((problem) => {
      const item = document.createElement('li')
      item.dataset['level'] = problem.level
      item.textContent = problem.says
      return item
    }),
  )
}

export function showTiles(answer: FleetAnswer): void {
  const { requests, sites, seconds } = answer
  const verdicts = requests['siteverify'] ?? {}
  const [passed, refused] = [verdicts['accepted'] ?? 0, refusedOf(verdicts)]
  const all = Object.values(requests).reduce((sum, codes) => sum + sumOf(codes), 0)
  const limited = Object.values(requests).reduce((sum, codes) => sum + (codes['rate-limit-exceeded'] ?? 0), 0)
  const ended = sites.reduce((sum, site) => sum + site.ended, 0)
  const never = sites.reduce((sum, site) => sum + neverVerified(site), 0)
  write('tile-passed', count(passed))
  write('tile-refused', refused === 0 ? '0' : `${count(refused)} (${share(refused, passed + refused)})`)
  write('tile-rate', number(all / Math.max(1, answer.at - answer.steps.from)))
  write('tile-p95', milliseconds(seconds['siteverify']?.p95 ?? null))
  write('tile-limited', count(limited))
  write('tile-unverified', ended === 0 ? '–' : `${count(never)} of ${count(ended)}`)
}

export function showCodes({ requests, sites }: FleetAnswer): void {
  const verdicts = requests['siteverify'] ?? {}
  const total = sumOf(verdicts)
  const all = Object.entries(verdicts).sort((a, b) => b[1] - a[1])
  rows(
    'codes',
    all.length === 0 ? none(3) : all.map(([code, n]) => [head(code), right(count(n)), right(share(n, total))]),
  )
  const reasons = new Map<string, number>()
  for (const site of sites)
    for (const [reason, n] of Object.entries(site.reasons)) reasons.set(reason, (reasons.get(reason) ?? 0) + n)
  const sorted = [...reasons].sort((a, b) => b[1] - a[1])
  rows('reasons', sorted.length === 0 ? none(2) : sorted.map(([reason, n]) => [head(reason), right(count(n))]))
}

const none = (columns: number): CellText[][] => [
  [{ text: 'none' }, ...Array.from({ length: columns - 1 }, () => right('–'))],
]

/** One process may judge what another issued and has not settled yet. */
const neverVerified = ({ ended, endedJudged }: SiteView): number => Math.max(0, ended - endedJudged)

/** Those that were asked for, those that were done, and those that reached the threshold. */
const secondTries = ({ stepUps }: SiteView): string =>
  sumOf(stepUps) === 0 ? '–' : ['asked', 'done', 'helped'].map((each) => count(stepUps[each] ?? 0)).join(', ')

export function showSites({ sites }: FleetAnswer): void {
  show('sites-empty', sites.length === 0)
  rows(
    'sites',
    sites.map((site) => {
      const { verdicts, ended } = site
      const [passed, refused, all] = [verdicts['accepted'] ?? 0, refusedOf(verdicts), sumOf(verdicts)]
      const never = neverVerified(site)
      const unverified = { ...right(ended === 0 ? '–' : `${count(never)} of ${count(ended)}`) }
      return [
        { ...head(site.name ?? site.site), ...(site.name !== undefined && { detail: site.site }) },
        right(count(site.challenges)),
        right(count(site.tokens)),
        right(count(passed)),
        right(count(refused)),
        right(count(all - passed - refused)),
        right(share(refused, passed + refused)),
        never === ended && ended > 0 ? { ...unverified, level: 'bad' as const } : unverified,
        right(secondTries(site)),
      ]
    }),
  )
}

export function showNetworks({ limited, minutes }: FleetAnswer): void {
  write(
    'limited-empty',
    minutes > 60
      ? 'Networks are kept for an hour only, so that nobody’s traces stay. Choose the hour to see them.'
      : 'Nobody was refused for asking too often. Networks (/24, /48) that are appear here, most refused first.',
  )
  show('limited-empty', limited.length === 0)
  show('limited-whole', limited.length > 0)
  rows(
    'limited',
    limited.map(({ network, times }) => [head(network), right(count(times))]),
  )
}

export function showAgents({ agents }: FleetAnswer): void {
  const all = Object.entries(agents).sort((a, b) => sumOf(b[1]) - sumOf(a[1]))
  show('agents-empty', all.length === 0)
  show('agents-whole', all.length > 0)
  rows(
    'agents',
    all.map(([name, codes]) => [
      head(name),
      right(count(codes['issued'] ?? 0)),
      right(count(codes['solved'] ?? 0)),
      right(count(codes['accepted'] ?? 0)),
      right(count(refusedOf(codes))),
    ]),
  )
}

export function showInstances({ instances, at }: FleetAnswer): void {
  const inForce = ({ since, problem }: InstanceView['configuration']): CellText =>
    problem === undefined
      ? { text: ago(since, at) }
      : { text: ago(since, at), level: 'warn', detail: 'a newer one was refused' }
  rows(
    'instances',
    instances.map((each) => [
      head(each.name),
      stateOf(each),
      { text: each.version },
      { text: ago(each.startedAt, at) },
      inForce(each.configuration),
      inForce(each.keyring),
      { text: each.state === 'running' ? clockTime(each.heardAt) : ago(each.heardAt, at) },
    ]),
  )
}

function stateOf({ state, fault }: InstanceView): CellText {
  if (state === 'running' && fault !== undefined) return { text: 'running', level: 'bad', detail: fault }
  return state === 'gone' ? { text: 'gone', level: 'warn' } : { text: state }
}
