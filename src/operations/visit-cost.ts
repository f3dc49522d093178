import type { Distance } from '../domain/address-hash.ts'
import type { WireSignals } from '../wire.ts'

/** Cost of a visit, in halves of a visit. */
const VISIT = 2
/** Extra cost of a visit that shows little. It depends on the input shown, not on the score. */
const LITTLE_SHOWN = 1
/** Extra cost of a solution from another address than its challenge's, so that a relay saves nothing. */
const RELAYED = 2
/** Extra cost of a part of the work, so that saving work takes up twice the room. */
const IN_PART = 2
/** Input events of a visit that shows enough: a few keys or one movement of a pointer. */
const ENOUGH_EVENTS = 6

const showsLittle = ({ input, page }: WireSignals): boolean =>
  (input?.trusted ?? 0) < ENOUGH_EVENTS || page?.visible !== 1

/**
 * Returns what a visit costs its address, in halves of an ordinary visit.
 *
 * @param done the share of the work that was done, up to 1.
 */
export const visitCost = (signals: WireSignals, distance: Distance, done: number): number =>
  VISIT +
  (showsLittle(signals) ? LITTLE_SHOWN : 0) +
  (distance === 'elsewhere' ? RELAYED : 0) +
  (done < 1 ? IN_PART : 0)
