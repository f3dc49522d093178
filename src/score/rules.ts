/**
 * The rules of the score, each with its weight, its evidence and the people who must not pay for it. A change of any
 * weight, curve or bound bumps `MODEL.version`.
 *
 * Log-odds: +0.7 doubles the odds that a visit is human, −0.7 halves them. A visit with nothing but honest work stays at the
 * base, below 0.5. Rules catch programs that do not hide: an author who has read this file can leave the evidence out of the
 * summary. SECURITY.md says what that costs.
 */
import type { Neighbourhood } from '../domain/work-done.ts'
import type { Family } from '../domain/weights.ts'
import {
  BUNDLED,
  coalescedShare,
  hasFetchMetadata,
  isClockCoarse,
  isMouseJudged,
  isPhone,
  isTap,
  isTool,
  JUDGED_MOVES,
  mousePresses,
  onX11,
  trustInMoves,
} from './browsers.ts'
import type { VisitFacts } from './visit-facts.ts'

/** Why a score is not higher, as customers and metrics see it. */
export const REASONS = ['automation', 'behaviour', 'network', 'work'] as const
export type Reason = (typeof REASONS)[number]

/** Tools that a rule may mistake for a bot: for pressing, for filling in, around the browser, for display. */
export type Group = 'pressing' | 'filling' | 'surroundings' | 'display'

/** One rule: a name, a weight, when it counts, and the evidence for it. */
export interface ScoreRule {
  /** 1 to 255; the table is sorted by it. */
  readonly id: number
  readonly name: string
  readonly family: Family
  readonly reason: Reason
  /** Log-odds at full strength. */
  readonly weight: number
  /** Maximum log-odds of a score in which this rule counts, if any; a site's rule is added afterwards. */
  readonly cap?: number
  /**
   * The tools that make it fire, if any. Of each group only the strongest rule counts, so that one tool is never charged twice
   * and a step can still lift the visit.
   */
  readonly group?: Group
  /** True for evidence that a step adds to a visit: the press of its button, and the step itself. */
  readonly broughtByStep?: true
  /** Reports whether it fired, or how strongly: 0 to 1. */
  readonly when: (facts: VisitFacts) => number | boolean
  /** What was measured: which visits show it, and which do not. */
  readonly evidence: string
  /** People who could be hurt, and why they are not. */
  readonly people: string
}

export const MODEL = {
  version: 4,
  /** Log-odds of a visit without any evidence: a score of 0.27. */
  base: -1,
  /** Minimum and maximum contribution of each family. */
  bounds: {
    work: [-2.5, 0],
    automation: [-6, 0],
    input: [-4, 2.2],
    page: [0, 0.5],
    request: [-5, 0.6],
    step: [0, 1.2],
  } satisfies Record<Family, readonly [number, number]>,
} as const

/** Number of partial solutions that slow devices explain, for an address, the rest of its /56, and the rest of its network. */
const PARTS = { address: 15, subnet: 30, network: 60 } as const

const isPartTooOften = ({ address, subnet, network }: Neighbourhood): boolean =>
  address.parts > PARTS.address ||
  subnet.parts - address.parts > PARTS.subnet ||
  network.parts - subnet.parts > PARTS.network

/** Milliseconds from key to key, a little above the largest personal median: whoever types more slowly chooses each key. */
const SLOWEST_TYPIST = 500

const count = (n: number | undefined): number => n ?? 0

/** A row of the table. The default reason is `behaviour` for positive weights and `automation` for negative ones. */
type Row = Omit<ScoreRule, 'reason'> & Partial<Pick<ScoreRule, 'reason'>>

const ROWS: readonly Row[] = [
  {
    id: 1,
    name: 'trusted-input',
    family: 'input',
    weight: 1.6,
    broughtByStep: true,
    when: ({ signals }) => count(signals.input?.trusted) / 8,
    evidence:
      'A script inside a page makes untrusted events only (DOM, 2.10). A driver that fills in and sends makes one to six trusted ones; eight are a few keys, two clicks, or one movement of a pointer.',
    people: 'One tap makes four and passes; so does one key, which makes two.',
  },
  {
    id: 3,
    name: 'coalesced-moves',
    family: 'input',
    weight: 0.5,
    when: (facts) => coalescedShare(facts) >= BUNDLED && count(facts.signals.input?.coalesced) >= 5,
    evidence:
      '67 to 91 % of real moves on a screen of 60 Hz carry others; a scripted path has hardly any. A busy machine brings two of a debugger’s moves at once now and then: one of 353 was seen. So fewer than five show nothing.',
    people: 'Touch, keyboard and fast screens do without it.',
  },
  {
    id: 4,
    name: 'page-focused',
    family: 'page',
    weight: 0.3,
    when: ({ signals }) => signals.page?.focused === 1 && signals.page.visible === 1,
    evidence: 'Farms and background automation are hidden, or never have the focus.',
    people: 'A tab that was opened in the background passes without.',
  },
  {
    id: 5,
    name: 'fetch-metadata',
    family: 'request',
    weight: 0.6,
    when: hasFetchMetadata,
    evidence:
      'Every current engine sends Sec-Fetch-* over https and to loopback (Fetch Metadata). Easy to forge.',
    people:
      'No engine sends them over plain http, so they count as sent for a page there. People with an engine that sends none pass without.',
  },
  {
    id: 6,
    name: 'webdriver-true',
    family: 'automation',
    weight: -4,
    when: ({ signals }) => signals.automation?.webdriver === 1,
    evidence: 'Every default driver: the standard asks drivers to say so (WebDriver, 4).',
    people: 'No browser that a person runs says so.',
  },
  {
    id: 7,
    name: 'headless-agent',
    family: 'automation',
    weight: -3,
    when: ({ signals, request: { userAgent, clientHints = '' } }) =>
      signals.automation?.headless === 1 ||
      /Headless/.test(userAgent) ||
      /Headless/.test(clientHints),
    evidence:
      'A headless Chromium says `Headless` in its User-Agent and client hints, unless configured otherwise.',
    people: 'People do not browse in a headless browser.',
  },
  {
    id: 8,
    name: 'driver-artefacts',
    family: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.automation?.artefacts) > 0,
    evidence: '`cdc_…`, `__pw…`: names that Selenium and forks of Playwright leave in the page.',
    people: 'No page or extension we know of uses these names.',
  },
  {
    id: 9,
    name: 'console-listener',
    family: 'automation',
    weight: -1.2,
    group: 'surroundings',
    when: ({ signals }) => signals.automation?.console === 1,
    evidence: 'Drivers switch the Runtime domain on, and every logged object is then read.',
    people: 'Open developer tools read it as well: alone it leaves 0.57 to people who only type.',
  },
  {
    id: 10,
    name: 'proof-missing',
    family: 'automation',
    weight: -4.5,
    when: ({ proof }) => proof !== undefined && proof.is !== 'answered',
    evidence: 'No engine laid anything out: plain HTTP clients, replayed summaries, simulators.',
    people:
      'The widget always answers, and answers again where the page was not laid out at first.',
  },
  {
    id: 11,
    name: 'proof-wrong',
    family: 'automation',
    weight: -4.5,
    when: ({ proof }) => proof?.is === 'answered' && (proof.wrong === 1 ? 0.1 : proof.wrong > 1),
    evidence: 'jsdom and happy-dom have every task wrong, and so has a replayed proof.',
    people:
      'Never seen in Chromium, Firefox and WebKit. An extension that spoils one task costs a tenth.',
  },
  {
    id: 12,
    name: 'untrusted-input-only',
    family: 'input',
    weight: -1.4,
    group: 'filling',
    // A window that opens under the pointer gets one move of it, which is no act of anybody.
    when: ({ signals: { input } }) => count(input?.untrusted) > 0 && count(input?.trusted) <= 1,
    evidence:
      'Scripts that fill in the form from within the page: 0.18, and they cannot press the step. nodriver and zendriver click by a script as well; one move of a pointer that stands there gave them 0.53.',
    people:
      'Password managers that fill in and send by script: visitors who press the step, by one key, pass.',
  },
  {
    id: 13,
    name: 'scattered-times',
    family: 'input',
    weight: -2.6,
    group: 'display',
    when: (facts) => {
      const { timed, samePhase } = facts.signals.input ?? {}
      return (
        count(timed) >= 3 &&
        samePhase !== undefined &&
        Math.min(1, (90 - samePhase) / 30) * onX11(facts)
      )
    },
    evidence:
      'X11 stamps input in whole milliseconds: 100 % of all people’s events there share a phase, 22 to 29 % of a debugger’s, and 30 to 75 % where it makes only three to ten. It decides for stealth drivers, on X11 only.',
    people:
      'Wayland and other systems have other timestamps, and are excluded; so are presses of assistive technology. People who display Chromium on a remote X server pass with the step.',
  },
  {
    id: 14,
    name: 'flat-presses',
    family: 'input',
    weight: -3,
    when: ({ signals }) => count(signals.input?.flatPresses) > 0,
    evidence:
      'A debugger’s press names a device and has no pressure: Puppeteer, Selenium and their forks. In Firefox `mousedown` has a `mozPressure` of 0.5 where WebDriver presses, and a copy of it has none.',
    people:
      'Clicks of keyboards and of assistive technology name no device. A mouse has a `mozPressure` of 0 or 1; pens and fingers are not judged, nor is a Firefox that resists fingerprinting, Tor Browser among them.',
  },
  {
    id: 15,
    name: 'presses-in-the-middle',
    family: 'input',
    weight: -1.2,
    group: 'pressing',
    when: (facts) => {
      const centred = count(facts.signals.input?.centred)
      return centred >= 2 && centred / Math.max(1, mousePresses(facts)) > 0.5 && centred / 3
    },
    evidence: 'Drivers press within 1 % of the dead centre; a hand hardly ever does twice.',
    people: 'Voice control presses there as well: alone it leaves 0.57.',
  },
  {
    id: 16,
    name: 'presses-barely-held',
    family: 'input',
    weight: -0.9,
    group: 'pressing',
    when: (facts) => {
      const { pressHold, pressHoldSpread, moveGap } = facts.signals.input ?? {}
      if (pressHold === undefined || isTap(facts)) return false
      // A clock of 100 ms: neither a move nor a press takes any time. A debugger's moves are a millisecond apart.
      if (pressHold === 0 && moveGap === 0) return false
      const areAlike =
        pressHoldSpread !== undefined && pressHoldSpread <= 10 && mousePresses(facts) >= 4
      return pressHold < (areAlike ? 45 : 25) && mousePresses(facts) >= 2
    },
    evidence:
      'People hold 55 to 111 ms (10th to 90th centile); of 480 visits none held four presses less than 45 ms and all alike.',
    people:
      'Eye trackers and voice control press briefly: alone it leaves 0.65; of its group the worse counts.',
  },
  {
    id: 17,
    name: 'balanced-reaches',
    family: 'input',
    weight: -2,
    when: ({ signals }) => {
      const [balanced, reaches] = [count(signals.input?.balanced), count(signals.input?.reaches)]
      return balanced >= 2 && (balanced / reaches - 0.5) / (reaches > 2 ? 0.3 : 0.8)
    },
    evidence:
      'Lines and Bézier curves, at one speed or eased, with or without noise: 96 to 100 % fire it in full.',
    people:
      'A hand hurries first and settles long: of 476 recorded reaches carried to a form 7 fire it, none in full.',
  },
  {
    id: 18,
    name: 'no-move-coalesced',
    family: 'input',
    weight: -1.9,
    group: 'surroundings',
    // On a faster screen, or from a device that reports at the screen's rate, each move may come alone.
    when: (facts) =>
      isMouseJudged(facts) &&
      count(facts.signals.input?.moveGap) >= 14 &&
      (1 - coalescedShare(facts) / 0.08) * trustInMoves(facts),
    evidence:
      'No coalesced event in 40 or more moves that come no faster than 60 Hz, or hardly one: a device of 125 Hz has to bring two at once. With scattered-times off it decides for drivers with recorded hands.',
    people:
      'Touch, Firefox and fast screens are excluded. Remote desktops and docked developer tools that send each move alone have 0.40 on Linux, and pass with the step.',
  },
  {
    id: 19,
    name: 'moves-within-a-frame',
    family: 'input',
    weight: -2.6,
    when: (facts) => {
      const { moves, sameFrame } = facts.signals.input ?? {}
      if (!isMouseJudged(facts) || isClockCoarse(facts) || facts.signals.automation?.console === 1)
        return false
      if (coalescedShare(facts) < BUNDLED / 2) return false
      return Math.min(1, (count(sameFrame) / count(moves) - 0.03) / 0.05) * trustInMoves(facts)
    },
    evidence:
      'When a driver sends mouse moves over the DevTools protocol and does not wait for replies, 8 to 21 % of them come less than 2.5 ms after the one before; 0 to 1 % of people’s do (mice of 125 to 1,000 Hz, X11 and Wayland).',
    people:
      'With docked developer tools Chromium delivers every move by itself, and a busy page handles several at once. So visitors with open developer tools are excluded, and so are those with fewer than 5 % coalesced moves (people: 22 to 88 %), or with a clock that is coarser than their moves.',
  },
  {
    id: 20,
    name: 'typing-without-pauses',
    family: 'input',
    weight: -0.9,
    group: 'filling',
    when: ({ signals: { input }, request }) => {
      const { keys, keyGap, keyGapLong, overlaps, touches } = input ?? {}
      if (isPhone(request.userAgent) || touches || overlaps || count(keys) < 30) return false
      if (keyGap === undefined || keyGapLong === undefined || keyGap > SLOWEST_TYPIST) return false
      return keyGap <= 40 || (1.9 - keyGapLong / keyGap) / 0.3
    },
    evidence:
      'No key is pressed before the previous one is released, with 40 ms or less from key to key (people’s medians are 82 to 456) or nine pauses in ten under 1.7 times the median: 96 in 100 programs with even or uniformly random pauses, 12 of 1,000 visits of 30 people.',
    people:
      'Password managers that type and some dictation do the same: alone it leaves 0.65. Switch access and keyboards on the screen go from key to key in even steps, most of a second or more: they are not judged, and neither is a median above 500 ms.',
  },
  {
    id: 21,
    name: 'tool-agent',
    family: 'request',
    weight: -4,
    when: ({ request }) => isTool(request.userAgent),
    evidence: 'Plain HTTP clients that identify themselves.',
    people: 'No browser uses these names.',
  },
  {
    id: 22,
    name: 'solved-elsewhere',
    family: 'request',
    reason: 'network',
    weight: -1.2,
    group: 'surroundings',
    when: ({ distance }) => {
      // A device with IPv4 and IPv6 may use either for each request.
      if (distance === 'other-family') return 0.25
      return distance === 'elsewhere'
    },
    evidence: 'A challenge that was requested in one network and solved in another: relays.',
    people:
      'Phones that switch between Wi-Fi and mobile, and rotating egress networks: alone it leaves 0.57.',
  },
  {
    id: 23,
    name: 'work-in-part',
    family: 'work',
    reason: 'work',
    weight: -1.2,
    group: 'surroundings',
    // Half of the weight for each halving; a quarter is the smallest part that is accepted.
    when: ({ part = 1 }) => Math.log2(1 / part) / 2,
    evidence: 'A part of the work saves a farm most of its cost.',
    people:
      'A device that is too slow passes: a visitor who only tabs and types has 0.57 with a quarter. Open developer tools slow the work down, and cost as much by themselves.',
  },
  {
    id: 24,
    name: 'work-in-part-again',
    family: 'work',
    reason: 'work',
    weight: -0.1,
    cap: -1,
    when: ({ part, history }) =>
      part !== undefined && history !== undefined && isPartTooOften(history),
    evidence:
      'More parts from one address or its network in ten minutes than slow devices send: a way to save work.',
    people: 'Fifteen slow devices behind an address and sixty in its network pass.',
  },
  {
    id: 25,
    name: 'work-by-fallback',
    family: 'work',
    reason: 'work',
    weight: -0.1,
    cap: 0.4,
    when: ({ fallback }) => fallback === true,
    evidence:
      '`pb.1` is for browsers without a JIT, and a graphics card is good at it: at most 0.6.',
    people: 'Browsers without a JIT pass at the default threshold.',
  },
  {
    id: 26,
    name: 'text-at-once',
    family: 'input',
    weight: -1.8,
    group: 'filling',
    when: ({ signals: { input } }) =>
      count(input?.insertions) >= 2 &&
      !input?.touches &&
      count(input?.keys) <= count(input?.insertions),
    evidence:
      'Two fields, each with all of its text in one insertion, and hardly any key: `fill()` of Playwright and its forks, `Input.insertText`, on every system.',
    people:
      'Dictation inserts word by word, or composes; autofill and paste insert differently. Programs for dictation or passwords that insert whole texts pass if a mouse is used, or with the step.',
  },
  {
    id: 27,
    name: 'stepped-up',
    family: 'step',
    weight: 1.2,
    broughtByStep: true,
    when: ({ stepped }) => stepped === true,
    evidence:
      'The button of the step was pressed after three seconds, the larger work done, two more proofs answered.',
    people: 'It only adds.',
  },
  {
    id: 28,
    name: 'desktop-says-phone',
    family: 'automation',
    weight: -2,
    when: ({ signals: { automation, environment, input }, request }) =>
      isPhone(request.userAgent) &&
      environment?.desktop === 1 &&
      count(input?.touches) > 0 &&
      automation?.console !== 1,
    evidence:
      'A desktop Chromium, tapped by a debugger, that claims to be on a phone: taps have no path and no centre to judge. With scattered-times off it decides for drivers that pose as a phone.',
    people:
      'Developer tools can emulate a phone: visitors who have them open are excluded, and so are those who use a mouse. An extension that renames a desktop with a touch screen loses points.',
  },
  {
    id: 29,
    name: 'values-by-script',
    family: 'input',
    weight: -1.4,
    group: 'filling',
    when: ({ signals: { input } }) =>
      count(input?.moves) < JUDGED_MOVES && count(input?.scripted) / 2,
    evidence:
      'A script sets the values of two fields and says so by events, nothing is typed, pasted or composed, and a trusted press sends the form: drivers that evaluate `el.value = …` in the page and click, on every system.',
    people:
      'Extensions of password managers fill in the same way: people who type a letter or move a mouse are not judged, others have 0.52 with eight events and pass with the step below that. A date picker that sets one field costs half.',
  },
]

export const RULES: readonly ScoreRule[] = ROWS.map((row) => ({
  reason: row.weight > 0 ? 'behaviour' : 'automation',
  ...row,
}))
