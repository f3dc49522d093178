/** What a browser and its mouse say that they are, and what the engine shows: nothing here is believed without a second witness. */
import type { VisitFacts } from './visit-facts.ts'

/** Programs that name themselves. Not browsers, whatever they fetch. */
const TOOL =
  /\b(curl|wget|python|node|undici|axios|go-http-client|java|okhttp|libwww|scrapy|httpie|postman|jsdom|happydom)\b/i

export const isTool = (userAgent: string): boolean => userAgent === '' || TOOL.test(userAgent)
export const isFirefox = (userAgent: string): boolean => /\bFirefox\/\d/.test(userAgent)
const isChromium = (userAgent: string): boolean => /\b(Chrome|Chromium|Edg)\/\d/.test(userAgent)

/** Safari and other programs with its engine; Blink still says that it is AppleWebKit/537.36. */
const isWebkit = (userAgent: string): boolean => /\bAppleWebKit\/(?!537)/.test(userAgent)

/** Phones and tablets, whose keys are drawn on the screen. */
export const isPhone = (userAgent: string): boolean => /Android|iPhone|iPad|iPod|Mobi/.test(userAgent)

/** Reports whether the User-Agent names a Linux desktop. */
const isLinux = (userAgent: string): boolean => /Linux|X11/.test(userAgent) && !/Android|CrOS/.test(userAgent)

/**
 * Returns how much the way of moves says: 1 on Linux, whatever the User-Agent says. Elsewhere nothing was measured, and some
 * systems bundle moves themselves: there it is a light sign.
 */
export const trustInMoves = ({ signals: { environment }, request }: VisitFacts): number =>
  isLinux(request.userAgent) || environment?.linuxEngine === 1 ? 1 : 0.7

/**
 * Reports whether a press of WebKitGTK is the tap of a finger, of which its page learns as of a mouse that is pressed and let
 * go at one time; a robot's button also stays down for some milliseconds there. No other engine can pass for it.
 */
export const isTap = ({ signals: { input, environment }, request: { userAgent } }: VisitFacts): boolean =>
  input?.pressHold === 0 && isWebkit(userAgent) && isLinux(userAgent) && ![1, 2].includes(environment?.engine ?? 0)

/**
 * Returns how surely a Chromium's window is one of X11, whatever its User-Agent says: 0 to 1. On Wayland no window knows
 * where it is, and input is stamped otherwise.
 */
export function onX11({ signals: { environment = {} }, request: { userAgent } }: VisitFacts): number {
  if (!isChromium(userAgent) || /CrOS/.test(userAgent)) return 0
  const saysLinux = isLinux(userAgent)
  if (!saysLinux && environment.linuxEngine !== 1) return 0
  if (environment.placed === undefined) return 0.4
  if (environment.placed === 1) return 1
  // On Wayland, no real window lacks toolbars while claiming another operating system.
  return saysLinux ? 0 : 0.6
}

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
