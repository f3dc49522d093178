import type { Signals } from './signals.ts'

const of = (n: number | undefined): number => n ?? 0

/**
 * Values that the widget cannot have made: parts larger than the whole, and numbers it would have rounded. Counters stop at 999,
 * so that nothing is said of a whole that has stopped. Absent members say nothing.
 *
 * @returns how many were found.
 */
export function contradictions({ input = {}, page = {}, work = {} }: Signals): number {
  const isMore = (part: number | undefined, whole: number | undefined): boolean =>
    of(part) > of(whole) && of(whole) < 999
  const isUnrounded = (n: number | undefined, step: number): boolean => of(n) % step !== 0
  const events = of(input.moves) + of(input.presses) + of(input.keys) + of(input.pastes)
  return [
    isMore(input.coalesced, input.moves),
    isMore(input.sameFrame, input.moves),
    isMore(input.touches, input.presses),
    isMore(input.flatPresses, input.presses),
    isMore(input.jumps, input.presses),
    isMore(input.centred, input.presses),
    isMore(input.reaches, input.presses),
    isMore(input.straight, input.reaches),
    isMore(input.even, input.reaches),
    isMore(input.balanced, input.reaches),
    isMore(input.timedKeys, input.keys),
    isMore(input.overlaps, input.keys),
    isMore(input.unfocused, input.keys),
    isMore(input.bareCapitals, input.keys),
    // Each of these is a trusted event itself.
    isMore(events, input.trusted),
    input.keyHold !== undefined && of(input.keys) === 0,
    input.pressHold !== undefined && of(input.presses) === 0,
    isUnrounded(input.keyHold, 5),
    isUnrounded(input.keyHoldSpread, 5),
    isUnrounded(input.keyGap, 5),
    isUnrounded(input.keyGapSpread, 5),
    isUnrounded(input.pressHold, 5),
    isUnrounded(input.pressHoldSpread, 5),
    isUnrounded(input.keyGapLong, 5),
    isUnrounded(page.firstTouch, 100),
    isUnrounded(page.filling, 100),
    isUnrounded(work.ms, 10),
  ].filter(Boolean).length
}
