import type { LastHourAnswer } from '../../src/ops/last-hour-answer.ts'
import { byId, write } from './page.ts'
import {
  showHealth,
  showNetworks,
  showScores,
  showSites,
  showTiles,
  showVerdicts,
} from './panels.ts'
import { ago, clockTime } from './texts.ts'
import { type View, viewOf } from './view.ts'

/** Milliseconds between two reads. */
const EVERY = 5000

let view: View | undefined
let timer: ReturnType<typeof setTimeout> | undefined

async function refresh(): Promise<void> {
  clearTimeout(timer)
  try {
    const res = await fetch('last-hour', { cache: 'no-store' })
    if (!res.ok) throw new Error(`HTTP ${res.status}`)
    view = viewOf((await res.json()) as LastHourAnswer)
    draw(view)
  } catch (error) {
    // The numbers stay, and are said to be old.
    byId('health').dataset['level'] = 'bad'
    write(
      'health-says',
      `This page cannot reach the service (${String(error)}); the numbers below are old.`,
    )
  }
  if (!document.hidden) timer = setTimeout(() => void refresh(), EVERY)
}

function draw(now: View): void {
  document.body.dataset['state'] = 'shown'
  write(
    'process',
    `${now.name}, ${now.version}, started ${ago(now.startedAt, now.now)}, at ${clockTime(now.now)}`,
  )
  for (const show of [showHealth, showTiles, showVerdicts, showScores, showSites, showNetworks])
    show(now)
}

byId('score-site').addEventListener('change', () => view && showScores(view))
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void refresh()
})
void refresh()
