/** Claims of an agent string: nothing here is believed without a second witness. */

/** Programs that name themselves. Not browsers, whatever they fetch. */
const TOOL =
  /\b(curl|wget|python|node|undici|axios|go-http-client|java|okhttp|libwww|scrapy|httpie|postman|jsdom|happydom)\b/i

export const isTool = (agent: string): boolean => agent === '' || TOOL.test(agent)
export const isChromium = (agent: string): boolean => /\b(Chrome|Chromium|Edg)\/\d/.test(agent)
export const isFirefox = (agent: string): boolean => /\bFirefox\/\d/.test(agent)

/** Safari and other programs with its engine; Blink still says that it is AppleWebKit/537.36. */
export const isWebkit = (agent: string): boolean => /\bAppleWebKit\/(?!537)/.test(agent)

/** Phones and tablets, whose keys are drawn on the screen. */
export const isPhone = (agent: string): boolean => /Android|iPhone|iPad|iPod|Mobi/.test(agent)

/** The agent names a Linux desktop. */
export const isLinux = (agent: string): boolean => /Linux|X11/.test(agent) && !/Android|CrOS/.test(agent)
