/** What a mouse shows of its device: how its moves arrive, and how often it is pressed. */
import { isFirefox } from './browsers.ts'
import type { VisitFacts } from './visit-facts.ts'

/** The share of moves from which on they count as bundled by a device. */
export const BUNDLED = 0.1

/** Presses of a mouse; those of a finger or a pen are not judged by their way. */
export const mousePresses = ({ signals: { input = {} } }: VisitFacts): number =>
  (input.presses ?? 0) - (input.touches ?? 0)

/** The share of the moves that carried others: 0 to 1. */
export const coalescedShare = ({ signals: { input = {} } }: VisitFacts): number =>
  (input.coalesced ?? 0) / Math.max(1, input.moves ?? 0)

/** Reports whether a mouse was moved far enough to be judged. Firefox bundles otherwise. */
export const isMouseJudged = ({ signals: { input = {} }, request }: VisitFacts): boolean =>
  !input.touches && (input.moves ?? 0) >= 40 && !isFirefox(request.userAgent)
