import type { FleetAnswer, StepsView } from '../../src/ops/fleet/fleet-answer.ts'
import { chart, type Line } from './charts.ts'
import { byId, head, right, show, table, write } from './page.ts'
import { clockTime, count, dayTime, milliseconds, number, wholeCount, windowName } from './texts.ts'

/** What an answer was, from the bottom of a bar to its top; what was not judged has one colour, whatever its code. */
const COLOURS: Readonly<Record<string, string>> = {
  accepted: '--good',
  'low-score': '--bad',
  'timeout-or-duplicate': '--third',
  'action-mismatch': '--fourth',
  'remoteip-mismatch': '--fifth',
}
const NOT_JUDGED = 'not judged'

/** Seconds of one bar: a look at an hour wants to see minutes, one at a week hours. */
const barSeconds = (minutes: number): number => (minutes > 1440 ? 3600 : minutes > 60 ? 600 : minutes > 15 ? 60 : 10)
/** A length of time in an adverb: `every 10 seconds`. */
const everyWords = (seconds: number): string =>
  seconds < 60 ? `${seconds} seconds` : seconds === 60 ? 'minute' : seconds < 3600 ? `${seconds / 60} minutes` : 'hour'

/** The three charts over time. */
export function timelines(): (answer: FleetAnswer) => void {
  let span: [number, number] = [0, 1]
  const verdicts = chart(byId('verdicts-chart'), {
    height: 220,
    x: 'time',
    bars: true,
    stacked: true,
    range: () => span,
    value: wholeCount,
  })
  const requests = chart(byId('requests-chart'), { height: 180, x: 'time', value: number })
  const speed = chart(byId('speed-chart'), { height: 180, x: 'time', value: number })

  return ({ steps, minutes }) => {
    const xs = timesOf(steps)
    const codes = Object.keys(steps.verdicts)
    const every = barSeconds(minutes)
    const bars = verdictBars(steps, every / steps.every)
    const shown = { verdicts: bars.length > 0, requests: any(steps.requests), speed: any({ median: steps.median }) }
    for (const [name, isShown] of Object.entries(shown)) {
      show(`${name}-empty`, !isShown)
      byId(`${name}-chart`).hidden = !isShown
    }
    if (shown.verdicts) {
      span = [steps.from, steps.from + steps.median.length * steps.every]
      verdicts.draw({
        xs: xs.filter((_, i) => i % (every / steps.every) === 0).map((from) => from + every / 2),
        series: bars,
        says: `Verdicts of the last ${windowName(minutes)}, every ${everyWords(every)}: ${codes.join(', ')}. The table below has the numbers.`,
      })
    }
    if (shown.requests) {
      requests.draw({
        xs,
        series: linesOf(steps),
        says: `Requests a second of the last ${windowName(minutes)}. The table below has the numbers.`,
      })
    }
    if (shown.speed) {
      speed.draw({
        xs,
        series: [
          { name: 'half of all within', colour: '--good', values: steps.median.map(inMs) },
          { name: '95 of 100 within', colour: '--third', values: steps.p95.map(inMs) },
        ],
        says: `Times to answer of the last ${windowName(minutes)}. The table below has the numbers.`,
      })
    }
    write(
      'verdicts-says',
      shown.verdicts
        ? `Each bar has the answers of ${every === 60 || every === 3600 ? `one ${everyWords(every)}` : everyWords(every)}.`
        : '',
    )
    showTables(steps, Math.max(60, every))
  }
}

const any = (by: Readonly<Record<string, readonly (number | null)[]>>): boolean =>
  Object.values(by).some((values) => values.some((value) => value !== null && value > 0))

/** The parts of the bars, the topmost first; parts that are nowhere are left out. @param steps of each bar. */
function verdictBars({ verdicts }: StepsView, steps: number): Line[] {
  const parts = new Map([NOT_JUDGED, ...Object.keys(COLOURS).toReversed()].map((name) => [name, [] as number[]]))
  for (const [code, counts] of Object.entries(verdicts)) {
    const part = parts.get(code in COLOURS ? code : NOT_JUDGED)!
    for (const [i, n] of counts.entries()) part[Math.floor(i / steps)] = (part[Math.floor(i / steps)] ?? 0) + n
  }
  return [...parts]
    .map(([name, values]) => ({ name, colour: COLOURS[name] ?? '--rest', values }))
    .filter(({ values }) => values.some((n) => n > 0))
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

/** Shows what a chart shows in numbers, newest first. @param every seconds of a row. */
function showTables(steps: StepsView, every: number): void {
  const perRow = every / steps.every
  const first = every === 60 ? 'Minute' : `Begin, every ${everyWords(every)}`
  const starts = Array.from({ length: Math.floor(steps.median.length / perRow) }, (_, i) => i * perRow).toReversed()
  const at = (start: number): string => {
    const from = steps.from + start * steps.every
    return every === 60 ? clockTime(from).slice(0, 5) : dayTime(from)
  }
  const sum = (counts: readonly number[], start: number): number =>
    counts.slice(start, start + perRow).reduce((total, n) => total + n, 0)
  const most = (values: readonly (number | null)[], start: number): number | null =>
    values.slice(start, start + perRow).reduce<number | null>((a, b) => (b === null ? a : Math.max(a ?? 0, b)), null)
  const countTable = (id: string, by: Readonly<Record<string, readonly number[]>>): void =>
    table(
      id,
      [first, ...Object.keys(by)],
      starts.map((start) => [head(at(start)), ...Object.values(by).map((counts) => right(count(sum(counts, start))))]),
    )
  countTable('verdicts-table', steps.verdicts)
  countTable('requests-table', steps.requests)
  table(
    'speed-table',
    [first, 'half of all within', '95 of 100 within'],
    starts.map((start) => [
      head(at(start)),
      right(milliseconds(most(steps.median, start))),
      right(milliseconds(most(steps.p95, start))),
    ]),
  )
}
