/** Loaded into the service's process by a test (`NODE_OPTIONS=--import`): at SIGUSR2 it writes how late its event loop was since the last time. */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
const ms = (nanoseconds) => Math.round(nanoseconds / 1e4) / 100

process.on('SIGUSR2', () => {
  const told = { max: ms(delay.max), p99: ms(delay.percentile(99)), mean: ms(delay.mean) }
  delay.reset()
  writeFileSync(process.env.LOOP_DELAY_FILE, JSON.stringify(told))
})
