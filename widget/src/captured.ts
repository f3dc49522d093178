import type { After, Clock } from './clock.ts'

/**
 * What we use of the browser, taken when the script loads: a page, or a test library on it,
 * that later replaces `fetch`, timers or clocks does not stop the widget.
 */
const setTimer = window.setTimeout.bind(window)
const clearTimer = window.clearTimeout.bind(window)

export const clock: Clock = { steady: performance.now.bind(performance), wall: Date.now.bind(Date) }

export const request: typeof fetch = window.fetch.bind(window)

export const after: After = (ms, task) => {
  const timer = setTimer(task, ms)
  return () => clearTimer(timer)
}
