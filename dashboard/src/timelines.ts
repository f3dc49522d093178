import type { FleetAnswer, StepsView } from '../../src/ops/fleet-answer.ts'
import { chart, type Line } from './charts.ts'
import { byId, head, right, show, table } from './page.ts'
import { clockTime, count, milliseconds, number } from './texts.ts'

/** Codes with a colour of their own. */
const COLOURS: Readonly<Record<string, string>> = {
  accepted: '--good',
  'low-score': '--bad',
  'timeout-or-duplicate': '--third',
  'action-mismatch': '--fourth',
  'remoteip-mismatch': '--fifth',
}
/** What else there is: one colour, told apart by its dashes. */
const DASHES = [
  [2, 3],
  [7, 3],
  [12, 4],
  [7, 3, 2, 3],
  [1, 5],
]

function looksOf(codes: readonly string[]): Pick<Line, 'name' | 'colour' | 'dash'>[] {
  let rest = 0
  return codes.map((name) => {
    const colour = COLOURS[name]
    return colour === undefined ? { name, colour: '--rest', dash: DASHES[rest++ % DASHES.length]! } : { name, colour }
  })
}

/** The three charts over time. */
export function timelines(): (answer: FleetAnswer) => void {
  const verdicts = chart(byId('verdicts-chart'), { height: 220, x: 'time', value: count })
  const requests = chart(byId('requests-chart'), { height: 180, x: 'time', value: number })
  const speed = chart(byId('speed-chart'), { height: 180, x: 'time', value: number })

  return ({ steps, minutes }) => {
    const xs = timesOf(steps)
    const total = Object.values(steps.verdicts)
      .flat()
      .reduce((sum, n) => sum + n, 0)
    const codes = Object.keys(steps.verdicts)
    show('verdicts-empty', total === 0)
    byId('verdicts-chart').hidden = total === 0
    if (total > 0) {
      verdicts.draw({
        xs,
        series: looksOf(codes).map((look) => Object.assign(look, { values: steps.verdicts[look.name]! })),
        says: `Verdicts of the last ${minutes} minutes, every ${steps.every} seconds: ${codes.join(', ')}. The table below has the numbers.`,
      })
    }
    requests.draw({
      xs,
      series: linesOf(steps),
      says: `Requests a second of the last ${minutes} minutes. The table below has the numbers.`,
    })
    speed.draw({
      xs,
      series: [
        { name: 'half of all within', colour: '--good', values: steps.median.map(inMs) },
        { name: '95 of 100 within', colour: '--third', values: steps.p95.map(inMs) },
      ],
      says: `Times to answer of the last ${minutes} minutes. The table below has the numbers.`,
    })
    showTables(steps)
  }
}

const timesOf = ({ from, every, median }: StepsView): number[] => median.map((_, i) => from + i * every)
const inMs = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000)

function linesOf({ requests, every }: StepsView): Line[] {
  const colours = ['--fifth', '--third', '--good', '--rest']
  return Object.entries(requests).map(([operation, counts], i) => ({
    name: operation,
    colour: colours[i] ?? '--rest',
    values: counts.map((n) => n / every),
  }))
}

/** By minute, newest first: what a chart shows, in numbers. */
function showTables(steps: StepsView): void {
  const perMinute = 60 / steps.every
  const minutes = Array.from(
    { length: Math.floor(steps.median.length / perMinute) },
    (_, i) => i * perMinute,
  ).toReversed()
  const at = (first: number): string => clockTime(steps.from + first * steps.every).slice(0, 5)
  const sum = (counts: readonly number[], first: number): number =>
    counts.slice(first, first + perMinute).reduce((total, n) => total + n, 0)
  const most = (values: readonly (number | null)[], first: number): number | null =>
    values.slice(first, first + perMinute).reduce<number | null>((a, b) => (b === null ? a : Math.max(a ?? 0, b)), null)
  const counted = (id: string, by: Readonly<Record<string, readonly number[]>>): void =>
    table(
      id,
      ['Minute', ...Object.keys(by)],
      minutes.map((first) => [head(at(first)), ...Object.values(by).map((counts) => right(count(sum(counts, first))))]),
    )
  counted('verdicts-table', steps.verdicts)
  counted('requests-table', steps.requests)
  table(
    'speed-table',
    ['Minute', 'half of all within', '95 of 100 within'],
    minutes.map((first) => [
      head(at(first)),
      right(milliseconds(most(steps.median, first))),
      right(milliseconds(most(steps.p95, first))),
    ]),
  )
}
