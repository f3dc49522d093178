import type { Watch, InputSignals } from './counts.ts'

/*
 * When device events happened, to a tenth of a millisecond, as far as the system says.
 *
 * Why: X11 stamps input with whole milliseconds, so that what is left of a browser's time stamps is always the same
 * fraction; input made inside the browser is stamped by a finer clock, and scatters.
 * Who could be hurt: Chromium on Wayland stamps input when it reads it, and other systems stamp finely, so the rule looks
 * at windows of X11 only (src/score/rules.ts). A Chromium shown on another machine's X server scatters, too.
 * Measured: Chromium 156, 2026-11-21. X11: 100 % of 69 to 966 events, with mice of 125 to 1,000 Hz; Wayland (weston) 29 %;
 * the DevTools protocol 22 to 29 %, on an idle machine and a busy one.
 */

export function watchTimes(): Watch<Event> {
  const phases = Array.from({ length: 10 }, () => 0)
  let timed = 0
  let last = -1
  return {
    see({ timeStamp }) {
      // One press is several events of one moment.
      if (timeStamp === last || timed >= 999) return
      last = timeStamp
      timed++
      const phase = Math.floor((timeStamp % 1) * 10 + 0.001) % 10
      phases[phase] = phases[phase]! + 1
    },
    summary(): InputSignals {
      if (!timed) return {}
      // Two neighbours: a fraction near the edge of a tenth falls to both sides of it.
      const most = Math.max(...phases.map((n, i) => n + phases[(i + 1) % 10]!))
      return { timed, samePhase: Math.round((most / timed) * 100) }
    },
  }
}
