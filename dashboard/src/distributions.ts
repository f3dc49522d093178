import type { DistributionView, FleetAnswer } from '../../src/ops/fleet/fleet-answer.ts'
import { type Chart, chart } from './charts.ts'
import { byId, head, right, rows, show, write } from './page.ts'
import { count, number, share, wholeCount } from './texts.ts'

/** The two charts of the work: how long it took, and how much was asked for. */
export function distributions(): (answer: FleetAnswer) => void {
  const solve = bars('solve')
  const level = bars('level')
  return ({ solveSeconds, workLevel }) => {
    solve(solveSeconds, [...solveSeconds.bounds.map(number), 'more'], (total) => {
      const { median, p95 } = solveSeconds
      return `Of ${count(total)}: half within ${number(median ?? 0)} s, 95 of 100 within ${number(p95 ?? 0)} s. As the browsers say.`
    })
    level(workLevel, [...workLevel.bounds.map(String), 'more'], (total) => {
      return `${count(total)} challenges, ${number(workLevel.sum / total)} on average; a level more is twice the work.`
    })
  }
}

type Show = (distribution: DistributionView, labels: readonly string[], sentence: (total: number) => string) => void

function bars(name: 'solve' | 'level'): Show {
  let ticks: readonly string[] = []
  let plot: Chart | undefined
  return ({ counts }, labels, sentence) => {
    const total = counts.reduce((sum, n) => sum + n, 0)
    show(`${name}-empty`, total === 0)
    byId(`${name}-chart`).hidden = total === 0
    write(`${name}-says`, total === 0 ? '' : sentence(total))
    rows(
      `${name}-table`,
      counts.map((n, i) => [head(labels[i] ?? ''), right(count(n)), right(share(n, total))]),
    )
    if (total === 0) return
    ticks = labels
    plot ??= chart(byId(`${name}-chart`), {
      height: 150,
      x: 'number',
      bars: true,
      ticks: () => ticks,
      range: () => [-0.5, labels.length - 0.5],
      value: wholeCount,
    })
    plot.draw({
      xs: counts.map((_, i) => i),
      series: [{ name: name === 'solve' ? 'visitors' : 'challenges', colour: '--third', values: counts }],
      says: sentence(total),
    })
  }
}
