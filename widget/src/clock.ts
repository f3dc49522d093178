/*
 * Functions of the browser that we use, kept when the script loads: a page, or a test library on it, that later replaces `fetch`, timers
 * or clocks does not stop the widget.
 */
const setTimer = globalThis.setTimeout.bind(globalThis)
const clearTimer = globalThis.clearTimeout.bind(globalThis)
const wall = /* @__PURE__ */ Date.now.bind(Date)

export const request: typeof fetch = globalThis.fetch.bind(globalThis)

/** Milliseconds, never backwards. */
export const steady = /* @__PURE__ */ performance.now.bind(performance)

/** Runs `task` after so many milliseconds, unless the returned function is called before. */
export function after(ms: number, task: () => void): () => void {
  const timer = setTimer(task, ms)
  return () => clearTimer(timer)
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => after(ms, resolve))

/** Settles when the page is visible, or there is nothing more to wait for. */
export async function visible(stop: AbortSignal): Promise<void> {
  if (!document.hidden || stop.aborted) return
  await new Promise((resolve) => {
    document.addEventListener('visibilitychange', resolve, { once: true })
    stop.addEventListener('abort', resolve, { once: true })
  })
}

/** Returns the milliseconds left; zero or less when it is over. */
export type Deadline = () => number

/**
 * Returns a moment from now. Of two clocks, since the steady one may stop while the device sleeps and the wall clock may be set, the one that
 * says more has passed is believed: a renewal too early costs a request, a token sent too late costs the visitor the form.
 */
export function deadlineIn(ms: number): Deadline {
  const [steadyThen, wallThen] = [steady(), wall()]
  return () => ms - Math.max(steady() - steadyThen, wall() - wallThen)
}

/**
 * Runs `task` when a deadline is over, unless the returned function is called before. Browsers cut a timer's fraction of a millisecond off,
 * so it may fire before the clock agrees; then it is set again.
 */
export function whenOver(leftMs: Deadline, task: () => void): () => void {
  let cancel = after(Math.max(1, Math.ceil(leftMs())), () => {
    if (leftMs() <= 0) task()
    else cancel = whenOver(leftMs, task)
  })
  return () => cancel()
}
