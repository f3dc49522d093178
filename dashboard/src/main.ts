import type { FleetAnswer } from '../../src/ops/fleet/fleet-answer.ts'
import { distributions } from './distributions.ts'
import { byId, show, write } from './page.ts'
import { showAgents, showCodes, showHealth, showInstances, showNetworks, showSites, showTiles } from './panels.ts'
import { clockTime, moment, windowName } from './texts.ts'
import { thresholdPanel } from './threshold.ts'
import { timelines } from './timelines.ts'

/** Milliseconds between two looks; the counts come every five seconds. */
const EVERY = 5000

const parts = [
  showHealth,
  showTiles,
  showCodes,
  showSites,
  showAgents,
  showNetworks,
  showInstances,
  thresholdPanel(),
  timelines(),
  distributions(),
]
let paused = false
let minutes = '60'
let timer: ReturnType<typeof setTimeout> | undefined

async function look(): Promise<void> {
  clearTimeout(timer)
  try {
    const span = minutes
    const res = await fetch(`fleet?minutes=${span}`, { cache: 'no-store' })
    if (!res.ok) throw new Error(`answered ${res.status}`)
    const answer = (await res.json()) as FleetAnswer
    if (span === minutes) draw(answer)
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
  if (!paused && !document.hidden) timer = setTimeout(() => void look(), EVERY)
}

function draw(answer: FleetAnswer): void {
  document.body.dataset['state'] = 'shown'
  const { length } = answer.instances.filter(({ state }) => state === 'running')
  const who =
    answer.scope === 'fleet'
      ? `The whole fleet: ${length} ${length === 1 ? 'process' : 'processes'}`
      : 'This process alone'
  write('scope', `${who}, at ${clockTime(answer.at)}`)
  showReach(answer)
  for (const part of parts) part(answer)
}

/** Says that the counts go back less far than was asked for, and why. */
function showReach({ at, minutes: span, scope, steps }: FleetAnswer): void {
  // The running minute or hour is a part of the window.
  const isShort = steps.from > at - span * 60 + steps.every * 6
  show('reach', isShort)
  const why =
    scope === 'fleet'
      ? 'nobody had counted before, or Redis has lost it'
      : 'this process began then, and it sees its own memory only'
  if (isShort)
    write('reach', `The counts begin at ${moment(steps.from, at)}, not a whole ${windowName(span)} ago: ${why}.`)
}

/** The numbers stay, and are said to be old. */
function fail(why: string): void {
  byId('health').dataset['level'] = 'bad'
  write('health-says', `This page cannot reach the service (${why}); what is below is from before.`)
}

for (const radio of document.querySelectorAll<HTMLInputElement>('input[name=minutes]')) {
  radio.addEventListener('change', () => {
    minutes = radio.value
    void look()
  })
  // A reloaded page may remember another choice than it was sent with.
  if (radio.checked) minutes = radio.value
}
byId('pause').addEventListener('click', () => {
  paused = !paused
  byId('pause').setAttribute('aria-pressed', String(paused))
  if (paused) clearTimeout(timer)
  else void look()
})
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !paused) void look()
})
void look()
