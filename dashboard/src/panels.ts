import { drawBars } from './bars.ts'
import { healthOf } from './health.ts'
import { byId, make, write, writeOptions, writeTable } from './page.ts'
import { count, minuteTime, share } from './texts.ts'
import type { Counts, ScoreSteps } from '../../src/ops/last-hour-answer.ts'
import { acceptedOf, addUp, nameOf, rejectedOf, type SiteView, sumOf, type View } from './view.ts'

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

export function showTiles({ requests, withinMs }: View): void {
  const verdicts = requests['siteverify']
  const accepted = acceptedOf(verdicts)
  const rejected = rejectedOf(verdicts)
  const all = Object.values(requests)
  write('tile-accepted', count(accepted))
  write(
    'tile-rejected',
    rejected === 0 ? '0' : `${count(rejected)} (${share(rejected, accepted + rejected)})`,
  )
  write('tile-requests', count(all.reduce((sum, codes) => sum + sumOf(codes), 0)))
  write('tile-within', withinText(withinMs))
  write(
    'tile-limited',
    count(all.reduce((sum, codes) => sum + (codes['rate-limit-exceeded'] ?? 0), 0)),
  )
}

function withinText(ms: number | undefined): string {
  if (ms === undefined) return '–'
  return Number.isFinite(ms) ? `${ms} ms` : 'over 800 ms'
}

export function showVerdicts({ now, minutes, requests, siteViews }: View): void {
  const newest = Math.floor(now / 60) * 60
  const minuteFrom = new Map(minutes.map((minute) => [minute.from, minute]))
  const columns = Array.from({ length: MINUTES }, (_, i) => {
    const from = newest - (MINUTES - 1 - i) * 60
    const codes = minuteFrom.get(from)?.requests['siteverify'] ?? {}
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
  const reasons = addUp(siteViews.map((site) => site.reasons))
  writeTable(
    'reasons',
    ['Reason', 'Rejections'],
    mostFirst(reasons).map(([reason, n]) => [reason, count(n)]),
  )
}

/** What is shown where no site has a score. */
const NO_SCORES: ScoreSteps = Array.from({ length: 20 }, () => [0, 0] as const)

export function showScores({ siteViews }: View): void {
  const select = byId('score-site') as HTMLSelectElement
  const scored = siteViews.filter(({ scores }) => total(scores.flat()) > 0)
  writeOptions(
    select,
    scored.map((each) => ({ value: each.key, text: nameOf(each) })),
  )
  select.disabled = scored.length === 0
  const site = scored.find(({ key }) => key === select.value)
  const scores = site?.scores ?? NO_SCORES
  write('scores-says', scoresText(site))
  drawBars('scores', {
    series: [
      { name: 'accepted', colour: '--good' },
      { name: 'low-score', colour: '--bad' },
    ],
    columns: scores.map((counts, i) => ({ label: (i / 20).toFixed(2), counts })),
    head: 'Score from',
    says: `Scores of ${site ? nameOf(site) : 'no site'}, in steps of 0.05.`,
    mark: site?.policy?.threshold,
  })
}

function scoresText(site: SiteView | undefined): string {
  if (site === undefined) return 'No score was compared with a threshold in this hour.'
  const { scores, policy } = site
  const sentence = `${count(total(scores.flat()))} scores`
  if (policy === undefined) return `${sentence}.`
  const own = Object.entries(policy.actions).map(([action, most]) => `; ${action} has ${most}`)
  return `${sentence}; the line is the threshold in force, ${policy.threshold}${own.join('')}.`
}

export function showSites({ siteViews }: View): void {
  writeTable(
    'sites',
    ['Site', 'Challenges', 'Tokens', 'Accepted', 'Rejected', 'Rejected, share'],
    siteViews.map(({ key, policy, codes }) => {
      const accepted = acceptedOf(codes)
      const rejected = rejectedOf(codes)
      return [
        policy === undefined ? key : { text: policy.name, detail: key },
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

const mostFirst = (counts: Counts): [string, number][] =>
  Object.entries(counts).toSorted((a, b) => b[1] - a[1])

const total = (counts: readonly number[]): number => counts.reduce((sum, n) => sum + n, 0)
