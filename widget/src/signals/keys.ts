import { counts, type Watch, type InputSignals } from './counts.ts'
import { rounded, sample } from './sample.ts'

/**
 * Watches how far apart keys are pressed, never which. Scripts type evenly and release one key before the next, as password managers
 * do, so these signals never fail a visit alone. Modifiers and soft keyboards do not count.
 */
export function watchKeys(): Watch<KeyboardEvent> {
  const count = counts()
  const down = new Set<string>()
  const gaps = sample()
  let before = 0
  /** The gaps shorter than a second, less the others, which are pauses and no rhythm. */
  let surplus = 0
  return {
    see({ type, key, code, repeat, isComposing, timeStamp }) {
      if (type === 'keyup') return void down.delete(code)
      if (repeat || !code || isComposing || key === 'Unidentified') return
      if (/^(Shift|Control|Alt|Meta|CapsLock|AltGraph)/.test(key)) return
      count.add('keys')
      if (down.size) count.add('overlaps')
      const gap = timeStamp - before
      if (before && gap < 1000) {
        gaps.add(gap)
        surplus++
      } else if (before) surplus--
      before = timeStamp
      down.add(code)
    },
    summary(): InputSignals {
      const [gap, long] = [gaps.at(0.5), gaps.at(0.9)]
      // Where most keys come after a pause, as those of switch access do, the other gaps are no sample.
      if (gap === undefined || long === undefined || surplus <= 0) return count.all()
      return { ...count.all(), keyGap: rounded(gap, 5, 1000), keyGapLong: rounded(long, 5, 1000) }
    },
  }
}
