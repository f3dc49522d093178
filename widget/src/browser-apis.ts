import type { After, Clock } from './clock.ts'

/**
 * Functions of the browser that we use, kept when the script loads: a page, or a test library on it,
 * that later replaces `fetch`, timers or clocks does not stop the widget.
 */
const setTimer = self.setTimeout.bind(self)
const clearTimer = self.clearTimeout.bind(self)

export const clock: Clock = {
  steady: /* @__PURE__ */ performance.now.bind(performance),
  wall: /* @__PURE__ */ Date.now.bind(Date),
}

export const request: typeof fetch = self.fetch.bind(self)

export const after: After = (ms, task) => {
  const timer = setTimer(task, ms)
  return () => clearTimer(timer)
}
