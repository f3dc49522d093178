/**
 * The weights of the score, in one table, each with its evidence. A change here bumps `MODEL.version`.
 *
 * Log-odds: +0.7 doubles the odds that a visit is human's, −0.7 halves them. A visit that shows nothing but honest work
 * stays at the base, below 0.5; a family that is missing adds nothing. No rule of the family `environment` can fail a
 * person alone: see the bounds. RISK.md says what was measured, and what nobody can tell by looking.
 */
import type { RequestFacts, Signals } from './signals.ts'

/** What a visit is scored from. */
export interface VisitFacts {
  readonly signals: Signals
  readonly request: RequestFacts
  /** Units of work the challenge asked for; all were checked. */
  readonly units: number
}

export type Family = 'work' | 'automation' | 'environment' | 'input' | 'page' | 'request' | 'history' | 'network'
export type Reason = 'automation' | 'environment' | 'behaviour' | 'velocity' | 'network' | 'work'

export interface ScoreRule {
  readonly id: number
  readonly name: string
  readonly family: Family
  readonly reason: Reason
  /** Log-odds at full strength. */
  readonly weight: number
  /** Whether it fired, or how strongly: 0 to 1. */
  readonly when: (facts: VisitFacts) => number | boolean
  readonly evidence: string
}

export const MODEL = {
  version: 1,
  /** A visit that shows nothing at all: 0.27. */
  base: -1,
  /** Least and most that a family may contribute. */
  bounds: {
    work: [-1.5, 0.5],
    automation: [-6, 0],
    environment: [-1.2, 0],
    input: [-4, 2.2],
    page: [-1.5, 0.5],
    request: [-5, 0.6],
    history: [-4, 0],
    network: [-2, 0],
  } satisfies Record<Family, readonly [number, number]>,
} as const

/** Programs that name themselves. Not browsers, whatever they fetch. */
const TOOL =
  /\b(curl|wget|python|node|undici|axios|go-http-client|java|okhttp|libwww|scrapy|httpie|postman|jsdom|happydom)\b/i
const isChromium = (agent: string): boolean => /\b(Chrome|Chromium|Edg)\/\d/.test(agent)
const isFirefox = (agent: string): boolean => /\bFirefox\/\d/.test(agent)

const count = (n: number | undefined): number => n ?? 0

/** The system that an agent string names, in the words of `sec-ch-ua-platform`. */
function systemOf(agent: string): string | undefined {
  if (/Android/.test(agent)) return 'Android'
  if (/CrOS/.test(agent)) return 'Chrome OS'
  if (/Windows/.test(agent)) return 'Windows'
  if (/Mac OS X|Macintosh/.test(agent)) return 'macOS'
  if (/Linux|X11/.test(agent)) return 'Linux'
  return undefined
}

export const RULES: readonly ScoreRule[] = [
  {
    id: 1,
    name: 'webdriver-true',
    family: 'automation',
    reason: 'automation',
    weight: -4,
    when: ({ signals }) => signals.automation?.webdriver === 1,
    evidence: 'RISK.md 1: default drivers; no simulated person. The standard asks drivers to say so (WebDriver, 4).',
  },
  {
    id: 2,
    name: 'webdriver-removed',
    family: 'automation',
    reason: 'automation',
    weight: -2,
    when: ({ signals }) => signals.automation?.webdriver === 2,
    evidence: 'RISK.md 1: clumsy removal leaves the property missing from its prototype.',
  },
  {
    id: 3,
    name: 'headless-agent',
    family: 'automation',
    reason: 'automation',
    weight: -3,
    when: ({ signals, request }) =>
      signals.automation?.headless === 1 ||
      /Headless/.test(request.userAgent) ||
      /Headless/.test(request.clientHints ?? ''),
    evidence: 'RISK.md 1: headless with its default agent string or client hints.',
  },
  {
    id: 4,
    name: 'driver-artefacts',
    family: 'automation',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.automation?.artefacts) > 0,
    evidence: 'RISK.md 1: `cdc_…`, `__pw…` left in the page by Selenium and some forks.',
  },
  {
    id: 5,
    name: 'natives-altered',
    family: 'automation',
    reason: 'automation',
    weight: -0.5,
    when: ({ signals }) => signals.automation?.altered === 1,
    evidence: 'RISK.md 1: stealth plug-ins; extensions of real people can do this too, so it weighs lightly.',
  },
  {
    id: 6,
    name: 'console-listener',
    family: 'automation',
    reason: 'automation',
    weight: -1.2,
    when: ({ signals }) => signals.automation?.console === 1,
    evidence:
      'RISK.md 1: drivers with the Runtime domain on; a person with developer tools open fires it too: never fails alone.',
  },
  {
    id: 10,
    name: 'trusted-input',
    family: 'input',
    reason: 'behaviour',
    weight: 1.2,
    when: ({ signals }) => count(signals.input?.trusted) > 0,
    evidence: 'RISK.md 1: DOM simulators have none. Keyboard, pointer, touch and assistive technology all have some.',
  },
  {
    id: 11,
    name: 'much-trusted-input',
    family: 'input',
    reason: 'behaviour',
    weight: 0.4,
    when: ({ signals }) => count(signals.input?.trusted) / 10,
    evidence: 'RISK.md 4: a person who merely tabs through a form passes.',
  },
  {
    id: 12,
    name: 'coalesced-moves',
    family: 'input',
    reason: 'behaviour',
    weight: 0.5,
    when: ({ signals }) => count(signals.input?.coalesced) / 5,
    evidence: 'RISK.md 1: 67 to 91 % of real moves are coalesced; no scripted path has any.',
  },
  {
    id: 13,
    name: 'untrusted-input-only',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.input?.untrusted) > 0 && count(signals.input?.trusted) === 0,
    evidence: 'RISK.md 1: DOM simulators.',
  },
  {
    id: 14,
    name: 'flat-presses',
    family: 'input',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.input?.flatPresses) > 0,
    evidence:
      'RISK.md 1: strongest single input signal for headed drivers; keyboard clicks and assistive technology name no device.',
  },
  {
    id: 15,
    name: 'no-move-coalesced',
    family: 'input',
    reason: 'automation',
    weight: -1.5,
    when: ({ signals, request }) =>
      count(signals.input?.moves) >= 40 &&
      count(signals.input?.coalesced) === 0 &&
      count(signals.input?.touches) === 0 &&
      !isFirefox(request.userAgent),
    evidence: 'RISK.md 1: no coalesced event in 40 or more moves; touch and Firefox differ.',
  },
  {
    id: 16,
    name: 'keys-barely-held',
    family: 'input',
    reason: 'automation',
    weight: -2,
    when: ({ signals }) =>
      count(signals.input?.keys) >= 5 && signals.input?.keyHold !== undefined && signals.input.keyHold < 20,
    evidence: 'RISK.md 1: scripted typing; people hold a key 58 to 152 ms (traces/README.md).',
  },
  {
    id: 20,
    name: 'page-focused',
    family: 'page',
    reason: 'behaviour',
    weight: 0.3,
    when: ({ signals }) => signals.page?.focused === 1 && signals.page.visible === 1,
    evidence:
      'RISK.md 1: background automation and farms are hidden or never focused; tabs opened in the background are people.',
  },
  {
    id: 21,
    name: 'never-visible',
    family: 'page',
    reason: 'behaviour',
    weight: -0.5,
    when: ({ signals }) => signals.page?.visible === 0,
    evidence: 'RISK.md 1: weak.',
  },
  {
    id: 22,
    name: 'filled-at-once',
    family: 'page',
    reason: 'behaviour',
    weight: -0.8,
    when: ({ signals }) =>
      signals.page?.filling !== undefined && signals.page.filling < 500 && count(signals.input?.autofills) === 0,
    evidence:
      'A form is not read and filled in half a second by hand; autofill and one click is a person, so it is left out.',
  },
  {
    id: 30,
    name: 'agent-and-platform-differ',
    family: 'environment',
    reason: 'environment',
    weight: -0.8,
    when: ({ signals }) => signals.environment?.platformAgrees === 0,
    evidence: "RISK.md 1: spoofed agents; privacy settings of real people too, so it can't fail alone.",
  },
  {
    id: 31,
    name: 'worker-and-window-differ',
    family: 'environment',
    reason: 'environment',
    weight: -1,
    when: ({ signals }) => signals.environment?.workerAgrees === 0,
    evidence: 'RISK.md 1: stealth plug-ins patch the window and forget the worker.',
  },
  {
    id: 32,
    name: 'window-is-screen',
    family: 'environment',
    reason: 'environment',
    weight: -0.3,
    when: ({ signals }) => signals.environment?.windowed === 0 && count(signals.environment.touchPoints) === 0,
    evidence: 'RISK.md 1: headless; kiosks and tablets too: weak.',
  },
  {
    id: 40,
    name: 'tool-agent',
    family: 'request',
    reason: 'automation',
    weight: -4,
    when: ({ request }) => request.userAgent === '' || TOOL.test(request.userAgent),
    evidence: 'RISK.md 1: plain HTTP clients.',
  },
  {
    id: 41,
    name: 'fetch-metadata',
    family: 'request',
    reason: 'environment',
    weight: 0.6,
    when: ({ request }) =>
      request.fetchMode === 'cors' &&
      request.fetchDest === 'empty' &&
      /^(same-site|cross-site|same-origin)$/.test(request.fetchSite ?? ''),
    evidence:
      'Every current engine sends Sec-Fetch-* to https and loopback (Fetch Metadata, W3C); easy to forge, so it adds little.',
  },
  {
    id: 42,
    name: 'fetch-metadata-wrong',
    family: 'request',
    reason: 'automation',
    weight: -2.5,
    when: ({ request }) =>
      request.fetchSite !== undefined &&
      (request.fetchMode !== 'cors' || request.fetchDest !== 'empty' || request.fetchSite === 'none'),
    evidence: "The widget's own fetch always says cors and empty; a page opened by hand says navigate.",
  },
  {
    id: 43,
    name: 'fetch-metadata-missing',
    family: 'request',
    reason: 'automation',
    weight: -2,
    when: ({ request }) =>
      request.trustworthy &&
      request.fetchSite === undefined &&
      (isChromium(request.userAgent) || isFirefox(request.userAgent)),
    evidence:
      'An agent string that claims an engine which always sends them; on plain http no engine does, so that is left out.',
  },
  {
    id: 44,
    name: 'language-missing',
    family: 'request',
    reason: 'environment',
    weight: -0.7,
    when: ({ request }) => request.acceptLanguage === undefined,
    evidence: 'Browsers always send Accept-Language; HTTP clients seldom do.',
  },
  {
    id: 45,
    name: 'client-hints-differ',
    family: 'request',
    reason: 'environment',
    weight: -1.2,
    when: ({ request }) => {
      const system = systemOf(request.userAgent)
      return request.clientPlatform !== undefined && system !== undefined && request.clientPlatform !== system
    },
    evidence: 'RISK.md 1: spoofed agents; the client hints come from the engine.',
  },
  {
    id: 50,
    name: 'work-too-fast',
    family: 'work',
    reason: 'work',
    weight: -1,
    when: ({ signals, units }) => signals.work?.ms !== undefined && signals.work.ms * 1000 < units * 4,
    evidence:
      'POW.md: 60 to 84 µs a unit and core; four workers cannot go under 15. A summary that says so was made up.',
  },
]
