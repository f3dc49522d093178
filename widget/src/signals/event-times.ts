/*
 * When device events happened, to a tenth of a millisecond, as far as the system says.
 *
 * Why: X11 and Wayland stamp input with whole milliseconds, so that what is left of a browser's time stamps is always the
 * same fraction; input made inside the browser is stamped by a finer clock, and scatters.
 * Who could be hurt: other systems stamp finely, so the rule looks at Linux desktops only (src/domain/rules/input.ts).
 * Measured: RISK.md, section 1.
 */

export interface TimeWatch {
  see(event: Event): void
  summary(): { timed?: number; samePhase?: number }
}

export function watchTimes(): TimeWatch {
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
    summary() {
      if (!timed) return {}
      // Two neighbours: a fraction near the edge of a tenth falls to both sides of it.
      const most = Math.max(...phases.map((n, i) => n + phases[(i + 1) % 10]!))
      return { timed, samePhase: Math.round((most / timed) * 100) }
    },
  }
}
