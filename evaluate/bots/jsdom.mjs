import { JSDOM, VirtualConsole } from 'jsdom'

/** A page in jsdom, with what it lacks put in by hand, and the form filled in by its script. */
const [url, who] = [process.argv[2], JSON.parse(process.argv[3])]
const virtualConsole = new VirtualConsole()
virtualConsole.on('jsdomError', (error) => console.error(error.message))
virtualConsole.on('warn', (...said) => console.error(...said))

const { window } = await JSDOM.fromURL(url, {
  runScripts: 'dangerously',
  resources: 'usable',
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
          origin: page.location.origin,
          'user-agent': page.navigator.userAgent,
        },
      })
    Object.assign(page, { TextEncoder, TextDecoder, Response, ReadableStream, structuredClone, MessageChannel })
    Object.defineProperty(page, 'crypto', { value: crypto })
    page.matchMedia = () => ({ matches: false, addEventListener() {}, addListener() {} })
    page.CSSStyleSheet.prototype.replaceSync ??= () => {}
    page.ResizeObserver = class {
      observe() {}
      disconnect() {}
    }
    page.HTMLFormElement.prototype.submit = function () {
      void send(new page.FormData(this))
    }
  },
})

async function send(data) {
  await fetch(new URL('/sign-up', url), { method: 'POST', body: new URLSearchParams([...data]) })
  process.exit(0)
}

await new Promise((resolve) => window.addEventListener('load', resolve))
const { document } = window
document.addEventListener('submit', (event) => {
  if (event.defaultPrevented) return
  event.preventDefault()
  void send(new window.FormData(event.target))
})
for (const [id, value] of Object.entries(who)) {
  const field = document.getElementById(id)
  field.focus()
  field.value = value
  field.dispatchEvent(new window.InputEvent('input', { bubbles: true, inputType: 'insertText', data: value }))
}
document.getElementById('terms').click()
document.getElementById('send').click()
setTimeout(() => {
  console.error(`no form: field has ${document.querySelector('[name=svc-response]')?.value?.length ?? 'no'} characters`)
  process.exit(1)
}, 15_000)
