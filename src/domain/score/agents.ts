/** Claims of an agent string: nothing here is believed without a second witness. */
import { memoize } from '../memoize.ts'

interface Claims {
  readonly isTool: boolean
  readonly isChromium: boolean
  readonly isFirefox: boolean
  readonly isWebkit: boolean
  readonly isPhone: boolean
  readonly system: string | undefined
  readonly chromeMajor: number | undefined
}

/** Programs that name themselves. Not browsers, whatever they fetch. */
const TOOL =
  /\b(curl|wget|python|node|undici|axios|go-http-client|java|okhttp|libwww|scrapy|httpie|postman|jsdom|happydom)\b/i

/** Twenty rules ask, and millions of visitors have the same few hundred agents. */
const claimsOf = memoize(
  (agent): Claims => ({
    isTool: agent === '' || TOOL.test(agent),
    isChromium: /\b(Chrome|Chromium|Edg)\/\d/.test(agent),
    isFirefox: /\bFirefox\/\d/.test(agent),
    isWebkit: /\bAppleWebKit\/(?!537)/.test(agent),
    isPhone: /Android|iPhone|iPad|iPod|Mobi/.test(agent),
    system: readSystem(agent),
    chromeMajor: readChromeMajor(agent),
  }),
  500,
)

export const isTool = (agent: string): boolean => claimsOf(agent).isTool
export const isChromium = (agent: string): boolean => claimsOf(agent).isChromium
export const isFirefox = (agent: string): boolean => claimsOf(agent).isFirefox

/** Safari and other programs with its engine; Blink still says that it is AppleWebKit/537.36. */
export const isWebkit = (agent: string): boolean => claimsOf(agent).isWebkit

/** Phones and tablets, whose keys are drawn on the screen. */
export const isPhone = (agent: string): boolean => claimsOf(agent).isPhone

/** The system that an agent string names, in the words of `sec-ch-ua-platform`. */
export const systemOf = (agent: string): string | undefined => claimsOf(agent).system

/** The major version of Chrome that an agent string names. */
export const chromeMajor = (agent: string): number | undefined => claimsOf(agent).chromeMajor

/**
 * The class of a browser: engine, system and major version, as it names itself. A visit keeps it from its challenge to
 * its solution; an update between the two is a new page.
 */
export function agentClass(agent: string): string {
  const engine = isChromium(agent) ? 'chromium' : isFirefox(agent) ? 'gecko' : 'other'
  const major = chromeMajor(agent) ?? /\b(?:Firefox|Version)\/(\d+)/.exec(agent)?.[1] ?? ''
  return `${engine} ${systemOf(agent) ?? '?'} ${major}`
}

function readSystem(agent: string): string | undefined {
  if (/Android/.test(agent)) return 'Android'
  if (/CrOS/.test(agent)) return 'Chrome OS'
  if (/Windows/.test(agent)) return 'Windows'
  if (/Mac OS X|Macintosh/.test(agent)) return 'macOS'
  if (/Linux|X11/.test(agent)) return 'Linux'
  return undefined
}

function readChromeMajor(agent: string): number | undefined {
  const match = /\bChrome\/(\d+)/.exec(agent)
  return match ? Number(match[1]) : undefined
}
