import type { WireSignals } from '../../../src/wire.ts'
import { counts } from './counts.ts'
import { rounded, sample } from './medians.ts'

/*
 * How keys are pressed: how long, how far apart, how evenly. Never which.
 *
 * Why: scripts type in an even rhythm, release at once, let one key go before the next, and write capitals without Shift.
 * Who could be hurt: dictation programs, text expanders and the auto-type of password managers type like scripts, so that no
 * sign of this file fails anybody alone. Keys without a code (soft keyboards, input methods) are counted, not timed.
 * Measured: docs/design/risk.md, "What separates"; 30 recorded people hold a key 58 to 152 ms, 82 to 456 ms apart (medians).
 */

type KeySignals = Pick<
  NonNullable<WireSignals['input']>,
  | 'keys'
  | 'keyHold'
  | 'keyHoldSpread'
  | 'keyGap'
  | 'keyGapSpread'
  | 'keyGapLong'
  | 'overlaps'
  | 'timedKeys'
  | 'bareCapitals'
  | 'unfocused'
>

export interface KeyWatch {
  see(event: KeyboardEvent): void
  summary(): KeySignals
}

export function watchKeys(hasFocus: () => boolean): KeyWatch {
  const count = counts<'keys' | 'overlaps' | 'timedKeys' | 'bareCapitals' | 'unfocused'>()
  const down = new Map<string, number>()
  const holds = sample()
  const gaps = sample()
  let before = 0

  function pressed(event: KeyboardEvent): void {
    count.add('keys')
    if (!hasFocus()) count.add('unfocused')
    if (!event.code || event.isComposing || event.key === 'Unidentified') return
    const isModifier = /^(Shift|Control|Alt|Meta|CapsLock|AltGraph)/.test(event.key)
    const isCapital = /^\p{Lu}$/u.test(event.key)
    if (isCapital && !event.shiftKey && !event.getModifierState('CapsLock') && !event.altKey) count.add('bareCapitals')
    if (!isModifier) {
      count.add('timedKeys')
      if (down.size > 0) count.add('overlaps')
      // Longer pauses are thoughts, not rhythm.
      if (before && event.timeStamp - before < 1000) gaps.add(event.timeStamp - before)
      before = event.timeStamp
      down.set(event.code, event.timeStamp)
    }
  }

  return {
    see(event) {
      if (event.type === 'keydown') {
        if (!event.repeat) pressed(event)
        return
      }
      const since = down.get(event.code)
      down.delete(event.code)
      if (since !== undefined) holds.add(event.timeStamp - since)
    },
    summary: () => ({
      ...count.all(),
      ...middle('keyHold', holds),
      ...middle('keyGap', gaps),
      ...(gaps.count && { keyGapLong: rounded(gaps.at(0.9)!, 5, 1000) }),
    }),
  }
}

/** The median, and the distance between the quartiles, each to 5 ms. */
const middle = (name: 'keyHold' | 'keyGap', of: ReturnType<typeof sample>): KeySignals | 0 =>
  of.count && {
    [name]: rounded(of.at(0.5)!, 5, 1000),
    [`${name}Spread`]: rounded(of.at(0.75)! - of.at(0.25)!, 5, 1000),
  }
