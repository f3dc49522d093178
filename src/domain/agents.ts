/** What an agent string claims. Claims only: nothing here is believed without a second witness. */

/** Programs that name themselves. Not browsers, whatever they fetch. */
const TOOL =
  /\b(curl|wget|python|node|undici|axios|go-http-client|java|okhttp|libwww|scrapy|httpie|postman|jsdom|happydom)\b/i

export const isTool = (agent: string): boolean => agent === '' || TOOL.test(agent)
export const isChromium = (agent: string): boolean => /\b(Chrome|Chromium|Edg)\/\d/.test(agent)
export const isFirefox = (agent: string): boolean => /\bFirefox\/\d/.test(agent)

/** Phones and tablets, whose keys are drawn on the screen. */
export const isPhone = (agent: string): boolean => /Android|iPhone|iPad|iPod|Mobi/.test(agent)

/** The system that an agent string names, in the words of `sec-ch-ua-platform`. */
export function systemOf(agent: string): string | undefined {
  if (/Android/.test(agent)) return 'Android'
  if (/CrOS/.test(agent)) return 'Chrome OS'
  if (/Windows/.test(agent)) return 'Windows'
  if (/Mac OS X|Macintosh/.test(agent)) return 'macOS'
  if (/Linux|X11/.test(agent)) return 'Linux'
  return undefined
}
