import { counts, type Watch, type InputSignals } from './counts.ts'
import { rounded, sample } from './medians.ts'

/*
 * How far apart keys are pressed. Never which.
 *
 * Why: scripts type in an even rhythm, and let one key go before the next.
 * Who could be hurt: the auto-type of password managers types like scripts, so that no sign of this file fails anybody
 * alone. Modifiers and keys without a code (soft keyboards, input methods) are left out.
 * Measured: docs/design/risk.md, "What separates"; 30 recorded people press keys 82 to 456 ms apart (medians).
 */

export function watchKeys(): Watch<KeyboardEvent> {
  const count = counts()
  const down = new Set<string>()
  const gaps = sample()
  let before = 0
  return {
    see({ type, key, code, repeat, isComposing, timeStamp }) {
      if (type === 'keyup') return void down.delete(code)
      if (repeat || !code || isComposing || key === 'Unidentified') return
      if (/^(Shift|Control|Alt|Meta|CapsLock|AltGraph)/.test(key)) return
      count.add('keys')
      if (down.size) count.add('overlaps')
      // Longer pauses are thoughts, not rhythm.
      if (before && timeStamp - before < 1000) gaps.add(timeStamp - before)
      before = timeStamp
      down.add(code)
    },
    summary(): InputSignals {
      const [gap, long] = [gaps.at(0.5), gaps.at(0.9)]
      if (gap === undefined || long === undefined) return count.all()
      return { ...count.all(), keyGap: rounded(gap, 5, 1000), keyGapLong: rounded(long, 5, 1000) }
    },
  }
}
