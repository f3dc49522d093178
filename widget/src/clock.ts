/*
 * Browser functions, captured when the script loads: a page or a test library that later replaces `fetch`, timers or clocks does not
 * stop the widget.
 */
const setTimer = globalThis.setTimeout.bind(globalThis)
const clearTimer = globalThis.clearTimeout.bind(globalThis)
const wall = /* @__PURE__ */ Date.now.bind(Date)

export const request: typeof fetch = globalThis.fetch.bind(globalThis)

/** Monotonic time in milliseconds. */
export const steady = /* @__PURE__ */ performance.now.bind(performance)

/** Runs `task` after a delay in milliseconds. Returns a function that cancels it. */
export function after(ms: number, task: () => void): () => void {
  const timer = setTimer(task, ms)
  return () => clearTimer(timer)
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => after(ms, resolve))

export type BackgroundPause = ReturnType<typeof backgroundPause>

/** Pauses work in the background, but not while a visitor or a script waits for its result. */
export function backgroundPause(stop: AbortSignal) {
  let waiting = 0
  const paused = new Set<() => void>()
  const resume = (): void => {
    for (const one of paused) one()
    paused.clear()
  }
  document.addEventListener('visibilitychange', resume, { signal: stop })
  stop.addEventListener('abort', resume)
  return {
    /** Resolves when work may go on, or when `stop` is aborted. */
    async over(): Promise<void> {
      // oxlint-disable-next-line no-unmodified-loop-condition -- `during` changes it meanwhile.
      while (document.hidden && !waiting && !stop.aborted)
        await new Promise<void>((resolve) => paused.add(resolve))
    },
    /** Lets work go on until an awaited result is ready. */
    async during<T>(result: Promise<T>): Promise<T> {
      waiting++
      resume()
      try {
        return await result
      } finally {
        waiting--
      }
    },
  }
}

/** Returns the milliseconds left; zero or less when the time is over. */
export type Deadline = () => number

/**
 * Sets a deadline. The monotonic clock may stop while the device sleeps, and the wall clock may be changed, so the one that has advanced
 * further counts: early renewal costs a request, an expired token costs the visitor the form.
 */
export function deadlineIn(ms: number): Deadline {
  const [steadyThen, wallThen] = [steady(), wall()]
  return () => ms - Math.max(steady() - steadyThen, wall() - wallThen)
}

/** Runs `task` when a deadline is over. Timers drop fractions of a millisecond and may fire early; then another one is set. */
export function whenOver(leftMs: Deadline, task: () => void): () => void {
  let cancel = after(Math.max(1, Math.ceil(leftMs())), () => {
    if (leftMs() <= 0) task()
    else cancel = whenOver(leftMs, task)
  })
  return () => cancel()
}
