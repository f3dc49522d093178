/** Facts about the browser and its mouse. The User-Agent alone is never believed: a second fact has to confirm it. */
import type { VisitFacts } from './visit-facts.ts'

/** Programs that identify themselves as something other than a browser. */
const TOOL =
  /\b(curl|wget|python|node|undici|axios|go-http-client|java|okhttp|libwww|scrapy|httpie|postman|jsdom|happydom)\b/i

export const isTool = (userAgent: string): boolean => userAgent === '' || TOOL.test(userAgent)
const isFirefox = (userAgent: string): boolean => /\bFirefox\/\d/.test(userAgent)
const isChromium = (userAgent: string): boolean => /\b(Chrome|Chromium|Edg)\/\d/.test(userAgent)

/** Safari and other programs with its engine; Blink still claims to be AppleWebKit/537.36. */
const isWebkit = (userAgent: string): boolean => /\bAppleWebKit\/(?!537)/.test(userAgent)

/** Phones and tablets, which have on-screen keyboards. */
export const isPhone = (userAgent: string): boolean =>
  /Android|iPhone|iPad|iPod|Mobi/.test(userAgent)

/** Reports whether the User-Agent names a Linux desktop. */
const isLinux = (userAgent: string): boolean =>
  /Linux|X11/.test(userAgent) && !/Android|CrOS/.test(userAgent)

/**
 * Returns the weight of evidence from mouse moves: 1 on Linux, whatever the User-Agent claims. Other systems were not measured,
 * and some coalesce moves themselves, so there it is weaker.
 */
export const trustInMoves = ({ signals: { environment }, request }: VisitFacts): number =>
  isLinux(request.userAgent) || environment?.linuxEngine === 1 ? 1 : 0.7

/**
 * Reports whether a press in WebKitGTK is the tap of a finger, which its page sees as a mouse that is pressed and released at the
 * same time; an automated press lasts some milliseconds there. No other engine can imitate it.
 */
export const isTap = ({
  signals: { input, environment },
  request: { userAgent },
}: VisitFacts): boolean =>
  input?.pressHold === 0 &&
  isWebkit(userAgent) &&
  isLinux(userAgent) &&
  ![1, 2].includes(environment?.engine ?? 0)

/**
 * Returns how likely it is that Chromium runs on X11, whatever its User-Agent claims: 0 to 1. On Wayland windows do not know
 * their position, and input has other timestamps.
 */
export function onX11({
  signals: { environment = {} },
  request: { userAgent },
}: VisitFacts): number {
  if (!isChromium(userAgent) || /CrOS/.test(userAgent)) return 0
  const saysLinux = isLinux(userAgent)
  if (!saysLinux && environment.linuxEngine !== 1) return 0
  if (environment.placed === undefined) return 0.4
  if (environment.placed === 1) return 1
  // On Wayland, no real window lacks toolbars while claiming another operating system.
  return saysLinux ? 0 : 0.6
}

/**
 * Reports whether a request has the Fetch Metadata of a script's request to another origin or to its own. Engines send none from a page
 * on plain http to a service on plain http, unless both are on the same machine: there the missing headers count as sent.
 */
export function hasFetchMetadata({
  request: { fetchMode, fetchDest, fetchSite, origin },
}: VisitFacts): boolean {
  const isMissing = fetchMode === undefined && fetchDest === undefined && fetchSite === undefined
  if (isMissing) return isPlainHttp(origin)
  const isKnownSite = /^(same-site|cross-site|same-origin)$/.test(fetchSite ?? '')
  return fetchMode === 'cors' && fetchDest === 'empty' && isKnownSite
}

const isPlainHttp = (origin = ''): boolean => /^http:\/\/(?!localhost\b|127\.|\[::1\])/.test(origin)

/**
 * Reports whether moves follow each other faster than any screen draws: time stamps are coarser than the moves, as an extension for
 * privacy makes them. A screen of 240 Hz brings a move every 4 ms.
 */
export const isClockCoarse = ({ signals: { input = {} } }: VisitFacts): boolean =>
  input.moveGap !== undefined && input.moveGap < 4

/** The share of coalesced moves at which they count as coming from a device. */
export const BUNDLED = 0.1

/** Returns the number of presses with a mouse; those with a finger or pen are judged differently. */
export const mousePresses = ({ signals: { input = {} } }: VisitFacts): number =>
  (input.presses ?? 0) - (input.touches ?? 0)

/** Returns the share of moves that contain coalesced ones: 0 to 1. */
export const coalescedShare = ({ signals: { input = {} } }: VisitFacts): number =>
  (input.coalesced ?? 0) / Math.max(1, input.moves ?? 0)

/** The number of moves from which on a mouse is judged by how it moves. */
export const JUDGED_MOVES = 40

/** Reports whether there are enough mouse moves to judge. Firefox coalesces differently. */
export const isMouseJudged = ({ signals: { input = {} }, request }: VisitFacts): boolean =>
  !input.touches && (input.moves ?? 0) >= JUDGED_MOVES && !isFirefox(request.userAgent)
