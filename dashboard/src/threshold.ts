import type uPlot from 'uplot'
import type { FleetAnswer, SiteView } from '../../src/ops/fleet/fleet-answer.ts'
import { chart, colour } from './charts.ts'
import { byId, choices, right, rows, show, write } from './page.ts'
import { barsOf, refusedBy, type Scores, scoresOf, totalOf } from './scores.ts'
import { count, share, wholeCount } from './texts.ts'

/** The part of the page where a threshold is chosen by looking. */
export function thresholdPanel(): (answer: FleetAnswer) => void {
  const site = byId('score-site') as HTMLSelectElement
  const action = byId('score-action') as HTMLSelectElement
  const typed = byId('threshold') as HTMLInputElement
  const slider = byId('threshold-slider') as HTMLInputElement
  let answer: FleetAnswer | undefined
  /** Undefined: nobody has tried another one than that in force. */
  let tried: number | undefined
  let hovered: number | null = null

  const plot = chart(byId('scores-chart'), {
    height: 220,
    x: 'number',
    bars: true,
    range: () => [0, 1],
    value: wholeCount,
    draw: (drawn) => drawLines(drawn, threshold(), inForce()),
    hover(x) {
      const now = x === null ? null : hundredth(x)
      if (now === hovered) return
      hovered = now
      say()
    },
    press: (x) => choose(hundredth(x)),
  })

  const chosenSite = (): SiteView | undefined => answer?.sites.find((each) => each.site === site.value)
  const inForce = (): number | undefined => chosenSite()?.threshold
  const threshold = (): number => tried ?? inForce() ?? 0.5
  const scores = (): Scores => scoresOf(answer?.sites ?? [], site.value, action.value)

  function choose(value: number): void {
    tried = value
    draw()
  }

  function say(): void {
    const all = scores()
    const total = totalOf(all)
    const at = hovered ?? threshold()
    const refused = refusedBy(all, at)
    const now = inForce()
    const inWords =
      now === undefined || now === at
        ? ''
        : `; ${now.toFixed(2)}, in force, refuses ${share(refusedBy(all, now), total)}`
    const says = `A threshold of ${at.toFixed(2)} refuses ${count(refused)} of ${count(total)} (${share(refused, total)})${inWords}.`
    write('score-says', total === 0 ? '' : says)
  }

  function draw(): void {
    if (!answer) return
    const all = scores()
    const total = totalOf(all)
    const at = threshold()
    show('scores-empty', total === 0)
    byId('scores-chart').hidden = total === 0
    for (const input of [typed, slider])
      if (document.activeElement !== input || tried !== undefined) input.value = at.toFixed(2)
    say()
    if (total > 0) {
      const { middles, all: bars, refused } = barsOf(all, at)
      plot.draw({
        xs: middles,
        series: [
          { name: 'passes', colour: '--good', values: bars },
          { name: 'refused', colour: '--bad', values: refused },
        ],
        says: `Scores of ${count(total)} tokens; a threshold of ${at.toFixed(2)} refuses ${share(refusedBy(all, at), total)}.`,
      })
    }
    rows(
      'scores-table',
      [...all.entries()]
        .filter(([, n]) => n > 0)
        .map(([i, n]) => [
          right((i / 100).toFixed(2)),
          right(count(n)),
          right(`${count(refusedBy(all, (i + 1) / 100))} (${share(refusedBy(all, (i + 1) / 100), total)})`),
        ]),
    )
  }

  function offer(): void {
    const sites = (answer?.sites ?? []).filter((each) => Object.keys(each.scores).length > 0)
    const options = sites.map((each) => ({ value: each.site, text: each.name ?? each.site }))
    choices(site, options.length > 1 ? [...options, { value: '', text: 'all sites' }] : options)
    const actions = [
      ...new Set(
        sites
          .filter((each) => site.value === '' || each.site === site.value)
          .flatMap((each) => Object.keys(each.scores)),
      ),
    ]
    choices(action, [
      { value: '', text: 'all actions' },
      ...actions.sort().map((each) => ({ value: each, text: each })),
    ])
  }

  site.addEventListener('change', () => {
    tried = undefined
    offer()
    draw()
  })
  action.addEventListener('change', draw)
  for (const input of [typed, slider]) {
    input.addEventListener('input', () => {
      const value = input.valueAsNumber
      if (value >= 0 && value <= 1) choose(hundredth(value))
    })
  }

  return (now) => {
    answer = now
    offer()
    draw()
  }
}

const hundredth = (x: number): number => Math.round(Math.min(1, Math.max(0, x)) * 100) / 100

/** The line that is tried, and, when it is another one, that in force. */
function drawLines(plot: uPlot, tried: number, inForce: number | undefined): void {
  if (inForce !== undefined && inForce !== tried)
    drawLine(plot, inForce, '--quiet', [4, 4], `in force ${inForce.toFixed(2)}`)
  drawLine(plot, tried, '--text', [], inForce === tried ? `in force ${tried.toFixed(2)}` : `tried ${tried.toFixed(2)}`)
}

function drawLine(plot: uPlot, at: number, property: string, dash: number[], text: string): void {
  const { ctx, bbox } = plot
  const x = Math.round(plot.valToPos(at, 'x', true))
  const scale = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = ctx.fillStyle = colour(property)
  ctx.lineWidth = 2 * scale
  ctx.setLineDash(dash.map((each) => each * scale))
  ctx.beginPath()
  ctx.moveTo(x, bbox.top)
  ctx.lineTo(x, bbox.top + bbox.height)
  ctx.stroke()
  ctx.font = `${12 * scale}px system-ui, sans-serif`
  ctx.textBaseline = 'top'
  const room = x + 6 * scale + ctx.measureText(text).width < bbox.left + bbox.width
  ctx.textAlign = room ? 'left' : 'right'
  ctx.fillText(text, x + (room ? 6 : -6) * scale, bbox.top + (dash.length > 0 ? 18 : 2) * scale)
  ctx.restore()
}
