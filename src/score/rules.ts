/**
 * The rules of the score, each with its weight, its evidence and the people who must not pay for it. A change of any
 * weight, curve or bound bumps `MODEL.version`.
 *
 * Log-odds: +0.7 doubles the odds that a visit is human's, −0.7 halves them. A visit that shows nothing but honest work
 * stays at the base, below 0.5. Every rule is for programs that do not care: a program whose author has read this file
 * leaves out of its summary what speaks against it. SECURITY.md says what that costs.
 */
import { isChromium, isFirefox, isLinux, isPhone, isTool, isWebkit } from './agents.ts'
import type { Distance } from '../domain/address-mark.ts'
import type { Neighbourhood } from '../domain/history.ts'
import type { Family } from '../domain/weights.ts'
import type { ProofFacts } from '../proof/proof.ts'
import type { RequestFacts, Signals } from './signals.ts'

/** The facts from which a visit is scored. Facts that were not gathered are left out, and add nothing. */
export interface VisitFacts {
  readonly signals: Signals
  readonly request: RequestFacts
  /** Units of work that were done: all that the challenge asked for, or the part that was handed in. */
  readonly units: number
  /** The share of the work that was handed in, 1/4 to less than 1; left out: all of it. */
  readonly part?: number | undefined
  /** True if the work was `pb.1`. */
  readonly fallback?: boolean
  /** The record of address and network; left out: nothing is known. */
  readonly history?: Neighbourhood | undefined
  /** Where the solution came from, seen from where its challenge was asked for; left out: nobody compared. */
  readonly distance?: Distance | undefined
  readonly proof?: ProofFacts
  /** True if it is the second visit of a step-up, and its button was pressed as asked. */
  readonly stepped?: boolean | undefined
}

/** Why a score is not higher, in the words that customers and metrics get. */
export const REASONS = ['automation', 'behaviour', 'network', 'work'] as const
export type Reason = (typeof REASONS)[number]

/** One row of the score: a name, a weight, when it counts, and why we believe it. */
export interface ScoreRule {
  /** 1 to 255. */
  readonly id: number
  readonly name: string
  readonly family: Family
  readonly reason: Reason
  /** Log-odds at full strength. */
  readonly weight: number
  /** Log-odds that no score passes in which this rule counts; left out: none. A rule of the site's comes on top. */
  readonly cap?: number
  /** True if voice control and other assistive technology show it, too: a step lifts a visit in spite of it. */
  readonly isAssistive?: true
  /** Reports whether it fired, or how strongly: 0 to 1. */
  readonly when: (facts: VisitFacts) => number | boolean
  /** What was measured: who shows it, and who does not. */
  readonly evidence: string
  /** People who could be hurt, and why they are not. */
  readonly people: string
}

export const MODEL = {
  version: 2,
  /** A visit that shows nothing at all: 0.27. */
  base: -1,
  /** Least and most that a family may contribute. */
  bounds: {
    work: [-2.5, 0],
    automation: [-6, 0],
    input: [-4, 2.2],
    page: [0, 0.5],
    request: [-5, 0.6],
    step: [0, 1.2],
  } satisfies Record<Family, readonly [number, number]>,
} as const

const count = (n: number | undefined): number => n ?? 0

export const RULES: readonly ScoreRule[] = [
  {
    id: 1,
    name: 'trusted-input',
    family: 'input',
    reason: 'behaviour',
    weight: 1.2,
    when: ({ signals }) => count(signals.input?.trusted) > 0,
    evidence: 'A script inside a page can make untrusted events only (DOM, 2.10); every device makes trusted ones.',
    people: 'Keyboard, pointer, touch, paste and assistive technology all have some: nobody lacks it who sends a form.',
  },
  {
    id: 2,
    name: 'much-trusted-input',
    family: 'input',
    reason: 'behaviour',
    weight: 0.4,
    when: ({ signals }) => count(signals.input?.trusted) / 10,
    evidence: 'Ten events are a few keys, or one movement of a pointer.',
    people: 'One tap shows a third of it, and passes without.',
  },
  {
    id: 3,
    name: 'coalesced-moves',
    family: 'input',
    reason: 'behaviour',
    weight: 0.5,
    when: (facts) => coalescedShare(facts) >= BUNDLED && count(facts.signals.input?.coalesced) / 5,
    evidence:
      '67 to 91 % of real moves on a screen of 60 Hz carry others; a scripted path has hardly any. A busy machine brings two of a debugger’s moves at once now and then: one of 353 was seen.',
    people: 'Touch, keyboard and fast screens do without it.',
  },
  {
    id: 4,
    name: 'page-focused',
    family: 'page',
    reason: 'behaviour',
    weight: 0.3,
    when: ({ signals }) => signals.page?.focused === 1 && signals.page.visible === 1,
    evidence: 'Farms and background automation are hidden, or never have the focus.',
    people: 'A tab that was opened in the background passes without.',
  },
  {
    id: 5,
    name: 'fetch-metadata',
    family: 'request',
    reason: 'behaviour',
    weight: 0.6,
    when: ({ request: { fetchMode, fetchDest, fetchSite } }) =>
      fetchMode === 'cors' && fetchDest === 'empty' && /^(same-site|cross-site|same-origin)$/.test(fetchSite ?? ''),
    evidence:
      'Every current engine sends the Sec-Fetch-* headers over https and to loopback (Fetch Metadata). They are easy to forge.',
    people: 'No engine sends them over plain http; people who fill in a form pass without them.',
  },
  {
    id: 6,
    name: 'webdriver-true',
    family: 'automation',
    reason: 'automation',
    weight: -4,
    when: ({ signals }) => signals.automation?.webdriver === 1,
    evidence: 'Every default driver: the standard asks drivers to say so (WebDriver, 4).',
    people: 'No browser that a person runs says so.',
  },
  {
    id: 7,
    name: 'headless-agent',
    family: 'automation',
    reason: 'automation',
    weight: -3,
    when: ({ signals, request: { userAgent, clientHints = '' } }) =>
      signals.automation?.headless === 1 || /Headless/.test(userAgent) || /Headless/.test(clientHints),
    evidence: 'A headless Chromium says `Headless` in its User-Agent and client hints, unless it is told otherwise.',
    people: 'People do not browse in a headless browser.',
  },
  {
    id: 8,
    name: 'driver-artefacts',
    family: 'automation',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.automation?.artefacts) > 0,
    evidence: '`cdc_…`, `__pw…`: names that Selenium and forks of Playwright leave in the page.',
    people: 'No page or extension we know of uses these names.',
  },
  {
    id: 9,
    name: 'console-listener',
    family: 'automation',
    reason: 'automation',
    weight: -1.2,
    when: ({ signals }) => signals.automation?.console === 1,
    evidence: 'Drivers switch the Runtime domain on, and every logged object is then read.',
    people: 'Open developer tools read it, too: alone it leaves 0.57 to who only types.',
  },
  {
    id: 10,
    name: 'proof-missing',
    family: 'automation',
    reason: 'automation',
    weight: -4.5,
    when: ({ proof }) => proof !== undefined && proof.is !== 'answered',
    evidence: 'No engine laid anything out: plain HTTP clients, replayed summaries, simulators.',
    people: 'The widget always answers, and answers again where the page was not laid out at first.',
  },
  {
    id: 11,
    name: 'proof-wrong',
    family: 'automation',
    reason: 'automation',
    weight: -4.5,
    when: ({ proof }) => proof?.is === 'answered' && (proof.wrong === 1 ? 0.1 : proof.wrong > 1),
    evidence: 'jsdom and happy-dom have every task wrong, and so has a replayed proof.',
    people: 'Never seen in Chromium, Firefox and WebKit. An extension that spoils one task costs a tenth.',
  },
  {
    id: 12,
    name: 'untrusted-input-only',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals: { input } }) => count(input?.untrusted) > 0 && count(input?.trusted) === 0,
    evidence: 'Scripts that fill in the form from within the page.',
    people: 'Assistive technology presses with trusted events.',
  },
  {
    id: 13,
    name: 'scattered-times',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: (facts) => {
      const { timed, samePhase } = facts.signals.input ?? {}
      return count(timed) >= 12 && samePhase !== undefined && Math.min(1, (90 - samePhase) / 30) * isOnX11(facts)
    },
    evidence:
      'X11 stamps input in whole milliseconds: 100 % of all people’s events there share a phase, 22 to 29 % of a debugger’s. It decides for stealth drivers, on X11 only.',
    people:
      'Wayland and other systems stamp otherwise, and are left out. Who shows Chromium on another machine’s X server pays.',
  },
  {
    id: 14,
    name: 'flat-presses',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.input?.flatPresses) > 0,
    evidence: 'A debugger’s press names a device and has no pressure: Puppeteer, Selenium and their forks.',
    people: 'Clicks of keyboards and of assistive technology name no device.',
  },
  {
    id: 15,
    name: 'presses-in-the-middle',
    family: 'input',
    reason: 'automation',
    weight: -1.2,
    isAssistive: true,
    when: (facts) => {
      const centred = count(facts.signals.input?.centred)
      return centred >= 2 && centred / Math.max(1, mousePresses(facts)) > 0.5 && centred / 3
    },
    evidence: 'Drivers press within 1 % of the dead centre; a hand hardly ever does twice.',
    people: 'Voice control presses there as well: it never fails alone, and a step lifts it.',
  },
  {
    id: 16,
    name: 'presses-barely-held',
    family: 'input',
    reason: 'automation',
    weight: -0.9,
    isAssistive: true,
    when: (facts) => {
      const { pressHold, pressHoldSpread } = facts.signals.input ?? {}
      if (pressHold === undefined || isTapped(facts)) return false
      const areAlike = pressHoldSpread !== undefined && pressHoldSpread <= 10 && mousePresses(facts) >= 4
      return pressHold < (areAlike ? 45 : 25) && mousePresses(facts) >= 2
    },
    evidence:
      'People hold 55 to 111 ms (10th to 90th centile); of 480 visits none held four presses less than 45 ms and all alike.',
    people: 'Eye trackers and voice control press shortly: it never fails alone, and a step lifts it.',
  },
  {
    id: 17,
    name: 'balanced-reaches',
    family: 'input',
    reason: 'automation',
    weight: -2,
    when: ({ signals }) => {
      const [balanced, reaches] = [count(signals.input?.balanced), count(signals.input?.reaches)]
      return balanced >= 2 && (balanced / reaches - 0.5) / (reaches > 2 ? 0.3 : 0.8)
    },
    evidence:
      'Lines and Bézier curves, at one speed or eased, with noise or without: 96 to 100 in 100 fire it in full.',
    people: 'A hand hurries first and settles long: of 476 recorded reaches carried to a form 7 fire it, none in full.',
  },
  {
    id: 18,
    name: 'no-move-coalesced',
    family: 'input',
    reason: 'automation',
    weight: -1.9,
    when: (facts) => hasMouse(facts) && isSlowScreen(facts) && (1 - coalescedShare(facts) / 0.08) * onThisSystem(facts),
    evidence:
      'No coalesced event in 40 or more moves that come no faster than 60 Hz, or hardly one: a device of 125 Hz has to bring two at once. With scattered-times off it decides for drivers with recorded hands.',
    people:
      'Touch, Firefox and fast screens are left out. Remote desktops that send each move alone pay, on Linux in full.',
  },
  {
    id: 19,
    name: 'moves-within-a-frame',
    family: 'input',
    reason: 'automation',
    weight: -2.6,
    when: (facts) => {
      const { moves, sameFrame } = facts.signals.input ?? {}
      if (!hasMouse(facts) || coalescedShare(facts) < BUNDLED / 2 || facts.signals.automation?.console === 1)
        return false
      return Math.min(1, (count(sameFrame) / count(moves) - 0.03) / 0.05) * onThisSystem(facts)
    },
    evidence:
      'When a driver sends mouse moves over the DevTools protocol and does not wait for replies, 8 to 21 % of them come less than 2.5 ms after the one before; 0 to 1 % of people’s do (mice of 125 to 1,000 Hz, X11 and Wayland).',
    people:
      'With docked developer tools Chromium delivers every move by itself, and a busy page handles several at once. So visitors with open developer tools are left out, and so are those of whose moves fewer than 5 % are coalesced (people: 22 to 88 %).',
  },
  {
    id: 20,
    name: 'typing-without-pauses',
    family: 'input',
    reason: 'automation',
    weight: -0.9,
    when: ({ signals: { input }, request }) => {
      const { keys, keyGap, keyGapLong, overlaps, touches } = input ?? {}
      if (isPhone(request.userAgent) || touches || count(keys) < 30) return false
      return !overlaps && !!keyGap && keyGapLong !== undefined && (1.9 - keyGapLong / keyGap) / 0.3
    },
    evidence:
      'No key before the last one is up, and nine pauses in ten under 1.7 times the middle one: 96 in 100 programs with even or uniformly random pauses, 12 of 1,000 visits of 30 people.',
    people: 'The auto-type of password managers does so, in some or all fields: alone it leaves 0.65.',
  },
  {
    id: 28,
    name: 'desktop-says-phone',
    family: 'automation',
    reason: 'automation',
    weight: -2,
    when: ({ signals: { automation, environment, input }, request }) =>
      isPhone(request.userAgent) &&
      environment?.desktop === 1 &&
      count(input?.touches) > 0 &&
      automation?.console !== 1,
    evidence:
      'A Chromium of a desktop, tapped by a debugger, that names itself a phone’s: taps have no path and no centre that could be judged. With scattered-times off it decides for drivers that pose as a phone.',
    people:
      'Developer tools show a page as on a phone: who has them open is left out, and so is who uses a mouse. An extension that renames a desktop with a touch screen pays.',
  },
  {
    id: 21,
    name: 'tool-agent',
    family: 'request',
    reason: 'automation',
    weight: -4,
    when: ({ request }) => isTool(request.userAgent),
    evidence: 'Plain HTTP clients that say what they are.',
    people: 'No browser names itself so.',
  },
  {
    id: 22,
    name: 'solved-elsewhere',
    family: 'request',
    reason: 'network',
    weight: -1.2,
    when: ({ distance }) => (distance === 'elsewhere' ? 1 : distance === 'other-family' ? 0.25 : 0),
    evidence: 'A challenge that was asked for in one network and solved in another: relays.',
    people: 'Phones between wireless and mobile, and egress that rotates between networks: alone it leaves 0.57.',
  },
  {
    id: 23,
    name: 'work-in-part',
    family: 'work',
    reason: 'work',
    weight: -1.2,
    // As much for each half; a quarter, the least that is taken, costs all of it.
    when: ({ part = 1, signals }) => signals.automation?.console !== 1 && Math.log2(1 / part) / 2,
    evidence: 'A part of the work saves a farm most of its cost.',
    people:
      'A device that is too slow is not failed: who only tabs and types has 0.57 with a quarter. Open developer tools slow the work down: who pays for a listener does not pay as much again.',
  },
  {
    id: 24,
    name: 'work-in-part-again',
    family: 'work',
    reason: 'work',
    weight: -0.1,
    cap: -1,
    when: ({ part, history }) => part !== undefined && history !== undefined && isPartTooOften(history),
    evidence: 'More parts of one address or its network in ten minutes than slow devices make: a way to save work.',
    people: 'Fifteen slow devices behind an address and sixty in its network are let through.',
  },
  {
    id: 25,
    name: 'work-by-fallback',
    family: 'work',
    reason: 'work',
    weight: -0.1,
    cap: 0.4,
    when: ({ fallback }) => fallback === true,
    evidence: '`pb.1` is for browsers without a JIT, and a graphics card is good at it: at most 0.6.',
    people: 'Browsers without a JIT pass at the default threshold.',
  },
  {
    id: 27,
    name: 'stepped-up',
    family: 'step',
    reason: 'behaviour',
    weight: 1.2,
    when: ({ stepped }) => stepped === true,
    evidence: 'The button of the step was pressed after three seconds, the larger work done, two more proofs answered.',
    people: 'Nobody loses by it.',
  },
]

/** The share of moves from which on they count as bundled by a device. */
const BUNDLED = 0.1

/** Parts of one address, and of others in its network, that slow devices may stand for. */
const PARTS = { address: 15, network: 60 } as const

const isPartTooOften = ({ address, network }: Neighbourhood): boolean =>
  address.parts > PARTS.address || network.parts - address.parts > PARTS.network

/** Presses of a mouse; those of a finger or a pen are not judged by their way. */
const mousePresses = ({ signals: { input } }: VisitFacts): number => count(input?.presses) - count(input?.touches)

/** The share of the moves that carried others: 0 to 1. */
const coalescedShare = ({ signals: { input } }: VisitFacts): number =>
  count(input?.coalesced) / Math.max(1, count(input?.moves))

/** A mouse was moved far enough to be judged. Firefox bundles otherwise. */
const hasMouse = ({ signals: { input }, request }: VisitFacts): boolean =>
  count(input?.touches) === 0 && count(input?.moves) >= 40 && !isFirefox(request.userAgent)

/**
 * Reports whether moves come no faster than a screen of 60 Hz draws: then a device of 125 Hz or more has to bring two at
 * once. On a faster screen, or from a device that reports at the pace of the screen, each may come alone.
 */
const isSlowScreen = ({ signals: { input } }: VisitFacts): boolean => count(input?.moveGap) >= 14

/**
 * How much the way of moves says: all on Linux, whatever the agent string says. Elsewhere nothing was measured, and some
 * systems bundle moves themselves: there it is a light sign.
 */
const onThisSystem = ({ signals: { environment }, request }: VisitFacts): number =>
  isLinux(request.userAgent) || environment?.linuxEngine === 1 ? 1 : 0.7

/**
 * WebKitGTK tells its page of a finger's tap as of a mouse that is pressed and let go at one time; a robot's button is
 * down for some milliseconds there, too. No other engine may use it: it would say so.
 */
const isTapped = ({ signals: { input, environment }, request: { userAgent } }: VisitFacts): boolean =>
  input?.pressHold === 0 &&
  isWebkit(userAgent) &&
  isLinux(userAgent) &&
  environment?.engine !== 1 &&
  environment?.engine !== 2

/**
 * How surely a Chromium's window is one of X11, whatever its agent string says: 0 to 1. On Wayland no window knows where
 * it is, and input is stamped otherwise.
 */
function isOnX11({ signals: { environment = {} }, request: { userAgent } }: VisitFacts): number {
  if (!isChromium(userAgent) || /CrOS/.test(userAgent)) return 0
  const saysLinux = isLinux(userAgent)
  if (!saysLinux && environment.linuxEngine !== 1) return 0
  if (environment.placed === undefined) return 0.4
  if (environment.placed === 1) return 1
  // No person on Wayland has a window without bars that says it is another system's.
  return saysLinux ? 0 : 0.6
}
