import { drawBars } from './bars.ts'
import { healthOf } from './health.ts'
import { byId, make, write, writeOptions, writeTable } from './page.ts'
import { count, minuteTime, share } from './texts.ts'
import { acceptedOf, type CountsBy, noScores, rejectedOf, sumOf, type View } from './view.ts'

const MINUTES = 60
/** Outcomes of siteverify and their colours, from the bottom of a bar to its top; all requests that were not judged share one. */
const VERDICTS = {
  accepted: '--good',
  'low-score': '--bad',
  'timeout-or-duplicate': '--third',
  'action-mismatch': '--fourth',
  'remoteip-mismatch': '--fifth',
}

export function showHealth(view: View): void {
  const { level, says, problems } = healthOf(view)
  byId('health').dataset['level'] = level
  write('health-says', says)
  byId('problems').replaceChildren(
    ...problems.map((each) => make('li', { className: each.level }, each.says)),
  )
}

export function showTiles({ requests, within }: View): void {
  const verdicts = requests['siteverify']
  const [accepted, rejected] = [acceptedOf(verdicts), rejectedOf(verdicts)]
  const all = Object.values(requests)
  write('tile-accepted', count(accepted))
  write(
    'tile-rejected',
    rejected === 0 ? '0' : `${count(rejected)} (${share(rejected, accepted + rejected)})`,
  )
  write('tile-requests', count(all.reduce((sum, codes) => sum + sumOf(codes), 0)))
  write(
    'tile-within',
    within === undefined ? '–' : Number.isFinite(within) ? `${within} ms` : 'over 800 ms',
  )
  write(
    'tile-limited',
    count(all.reduce((sum, codes) => sum + (codes['rate-limit-exceeded'] ?? 0), 0)),
  )
}

export function showVerdicts({ now, minutes, requests, siteViews }: View): void {
  const newest = Math.floor(now / 60) * 60
  const countsFrom = new Map(minutes.map(({ from, counts }) => [from, counts]))
  const columns = Array.from({ length: MINUTES }, (_, i) => {
    const from = newest - (MINUTES - 1 - i) * 60
    const codes = verdictsOf(countsFrom.get(from) ?? {})
    const judged = Object.keys(VERDICTS).map((code) => codes[code] ?? 0)
    return { label: minuteTime(from), counts: [...judged, sumOf(codes) - total(judged)] }
  })
  const series = Object.entries({ ...VERDICTS, 'not judged': '--rest' }).map(([name, colour]) => ({
    name,
    colour,
  }))
  drawBars('verdicts', {
    series,
    columns,
    head: 'Minute',
    says: 'Verdicts of the last hour, one bar a minute.',
  })

  const verdicts = requests['siteverify'] ?? {}
  const all = sumOf(verdicts)
  writeTable(
    'codes',
    ['Code', 'Answers', 'Share'],
    mostFirst(verdicts).map(([code, n]) => [code, count(n), share(n, all)]),
  )
  const reasons: Record<string, number> = {}
  for (const site of siteViews)
    for (const [reason, n] of Object.entries(site.reasons))
      reasons[reason] = (reasons[reason] ?? 0) + n
  writeTable(
    'reasons',
    ['Reason', 'Rejections'],
    mostFirst(reasons).map(([reason, n]) => [reason, count(n)]),
  )
}

/** `siteverify accepted` → `accepted`. */
function verdictsOf(counts: CountsBy): CountsBy {
  const own = Object.entries(counts).filter(([key]) => key.startsWith('siteverify '))
  return Object.fromEntries(own.map(([key, n]) => [key.split(' ')[1], n]))
}

export function showScores({ siteViews }: View): void {
  const select = byId('score-site') as HTMLSelectElement
  const scored = siteViews.filter(({ scores }) => total(scores.flat()) > 0)
  writeOptions(
    select,
    scored.map(({ key, name }) => ({ value: key, text: name ?? key })),
  )
  select.disabled = scored.length === 0
  const site = scored.find(({ key }) => key === select.value)
  const threshold = site?.threshold
  const own = Object.entries(site?.actions ?? {}).map(([action, most]) => `; ${action} has ${most}`)
  const scores = site?.scores ?? noScores()
  write(
    'scores-says',
    site === undefined
      ? 'No score was compared with a threshold in this hour.'
      : `${count(total(scores.flat()))} scores${threshold === undefined ? '' : `; the line is the threshold in force, ${threshold}${own.join('')}`}.`,
  )
  drawBars('scores', {
    series: [
      { name: 'accepted', colour: '--good' },
      { name: 'low-score', colour: '--bad' },
    ],
    columns: scores.map((counts, i) => ({ label: (i / 20).toFixed(2), counts })),
    head: 'Score from',
    says: `Scores of ${site?.name ?? 'no site'}, in steps of 0.05.`,
    mark: threshold,
  })
}

export function showSites({ siteViews }: View): void {
  writeTable(
    'sites',
    ['Site', 'Challenges', 'Tokens', 'Accepted', 'Rejected', 'Rejected, share'],
    siteViews.map(({ key, name, codes }) => {
      const [accepted, rejected] = [acceptedOf(codes), rejectedOf(codes)]
      return [
        { text: name ?? key, ...(name !== undefined && { detail: key }) },
        count(codes['issued'] ?? 0),
        count(codes['solved'] ?? 0),
        count(accepted),
        count(rejected),
        share(rejected, accepted + rejected),
      ]
    }),
  )
}

export const showNetworks = ({ networks }: View): void =>
  writeTable(
    'networks',
    ['Network', 'Requests'],
    mostFirst(networks)
      .slice(0, 20)
      .map(([network, n]) => [network, count(n)]),
  )

const mostFirst = (counts: CountsBy): [string, number][] =>
  Object.entries(counts).toSorted((a, b) => b[1] - a[1])

const total = (counts: readonly number[]): number => counts.reduce((sum, n) => sum + n, 0)
