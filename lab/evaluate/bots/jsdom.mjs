import { JSDOM, VirtualConsole } from 'jsdom'
import { CHROMIUM_AGENT } from './chromium.mjs'
import { fillInside } from './fill-inside.mjs'
import { perfectHeaders } from './http.mjs'

/** A page in jsdom, with what it lacks put in by hand, and the form filled in by its script. */
const [url, who] = [process.argv[2], JSON.parse(process.argv[3])]
const headers = Object.fromEntries(perfectHeaders({ url }))
const virtualConsole = new VirtualConsole()
virtualConsole.on('jsdomError', (error) => console.error(error.message))
virtualConsole.on('warn', (...said) => console.error(...said))

const { window } = await JSDOM.fromURL(url, {
  runScripts: 'dangerously',
  resources: { userAgent: CHROMIUM_AGENT },
  pretendToBeVisual: true,
  virtualConsole,
  beforeParse(page) {
    page.fetch = (to, { body, ...options } = {}) =>
      fetch(new URL(to, url), {
        ...options,
        signal: undefined,
        headers,
        ...(body && { body: String(body) }),
      })
    Object.assign(page, {
      TextEncoder,
      TextDecoder,
      Response,
      ReadableStream,
      structuredClone,
      MessageChannel,
    })
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
