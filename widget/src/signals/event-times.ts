import type { Watch, InputSignals } from './counts.ts'

/**
 * Watches the fractions of time stamps. X11 stamps input in whole milliseconds, so that they all have one fraction; those of input made
 * inside the browser scatter. They also scatter on Wayland and other systems, so the rule is for X11 only (src/score/rules.ts).
 *
 * Measured with Chromium 156: X11 100 % of 69 to 966 events, with mice of 125 to 1,000 Hz; Wayland 29 %; DevTools protocol 22 to 29 %.
 */
export function watchTimes(): Watch<Event> {
  const phases = Array.from({ length: 10 }, () => 0)
  let timed = 0
  let last = -1
  return {
    see({ timeStamp }) {
      // A press makes several events with one time stamp.
      if (timeStamp === last || timed >= 999) return
      last = timeStamp
      timed++
      const phase = Math.floor((timeStamp % 1) * 10 + 0.001) % 10
      phases[phase] = phases[phase]! + 1
    },
    summary(): InputSignals {
      if (!timed) return {}
      // Two neighbours: a fraction near an edge falls on both sides.
      const most = Math.max(...phases.map((n, i) => n + phases[(i + 1) % 10]!))
      return { timed, samePhase: Math.round((most / timed) * 100) }
    },
  }
}
