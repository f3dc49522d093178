import { JSDOM, VirtualConsole } from 'jsdom'
import { CHROMIUM_AGENT } from './chromium.mjs'
import { fillInside } from './fill-inside.mjs'

/** A page in jsdom, with what it lacks put in by hand, and the form filled in by its script. */
const [url, who] = [process.argv[2], JSON.parse(process.argv[3])]
const BROWSER = {
  'user-agent': CHROMIUM_AGENT,
  'sec-ch-ua': '"Chromium";v="156", "Not(A:Brand";v="8"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
  'accept-language': 'en-GB,en;q=0.9',
}
const virtualConsole = new VirtualConsole()
virtualConsole.on('jsdomError', (error) => console.error(error.message))
virtualConsole.on('warn', (...said) => console.error(...said))

const { window } = await JSDOM.fromURL(url, {
  runScripts: 'dangerously',
  resources: { userAgent: CHROMIUM_AGENT },
  pretendToBeVisual: true,
  virtualConsole,
  beforeParse(page) {
    page.fetch = (to, options = {}) =>
      fetch(new URL(to, page.location.href), {
        ...options,
        signal: undefined,
        ...(options.body && { body: String(options.body) }),
        headers: {
          'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
          ...options.headers,
          ...BROWSER,
          origin: page.location.origin,
          referer: page.location.href,
        },
      })
    Object.assign(page, { TextEncoder, TextDecoder, Response, ReadableStream, structuredClone, MessageChannel })
    page.isSecureContext = true
    Object.defineProperty(page, 'crypto', { value: crypto })
    page.matchMedia = () => ({ matches: false, addEventListener() {}, addListener() {} })
    page.CSSStyleSheet.prototype.replaceSync ??= () => {}
    page.ResizeObserver = class {
      observe() {}
      disconnect() {}
    }
  },
})

await new Promise((resolve) => window.addEventListener('load', resolve))
fillInside(window, { url, who, patience: 40_000 })
