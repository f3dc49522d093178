import type { SvcCaptcha, SvcCaptchaWhich as Which } from '../captcha.d.ts'
import { fetchWithToken } from './call.ts'
import { after, deadlineIn, wait } from './clock.ts'
import { missing, type MountedWidgets, mountedWidgets } from './mounted-widgets.ts'
import { callBack } from './options.ts'
import type { OwnScript, Widget } from './widget.ts'

function start(): SvcCaptcha {
  const widgets = mountedWidgets(scriptAddress())
  const waiting: (() => void)[] = []
  let isReady = false

  function begin(): void {
    widgets.scan()
    watchDocument(widgets)
    isReady = true
    for (const task of waiting) callBack(task)
  }

  if (document.readyState === 'loading')
    document.addEventListener('DOMContentLoaded', begin, { once: true })
  else begin()

  const existing = (which?: Which): Widget => {
    const widget = widgets.widget(which)
    if (!widget) throw missing('widget')
    return widget
  }
  const captcha: SvcCaptcha = {
    ready: (task) => void (isReady ? callBack(task) : waiting.push(task)),
    render: (where, options) => widgets.render(where, options),
    async execute(which, { waitForFocusMs = 0 } = {}) {
      const leftMs = deadlineIn(waitForFocusMs)
      while (leftMs() > 0 && !document.hasFocus()) await wait(100)
      return existing(which).execute()
    },
    fetch: (...args) => fetchWithToken(captcha, (which) => existing(which).spend(), ...args),
    stepUp: async (which, ticket) => existing(which).stepUp(ticket),
    getResponse: (which) => widgets.widget(which)?.response() ?? '',
    isExpired: (which) => widgets.widget(which)?.isExpired() ?? false,
    reset: (which) => existing(which).reset(),
    refused: (which) => existing(which).refused(),
    remove: (which) => widgets.remove(which),
  }
  return captcha
}

/** Looks for widgets soon after each change of the document. */
function watchDocument(widgets: MountedWidgets): void {
  let { body } = document
  let isWaiting = false
  const observer = new MutationObserver(() => {
    if (isWaiting) return
    isWaiting = true
    after(30, () => {
      isWaiting = false
      widgets.scan()
      if (body === document.body) return
      // A router has replaced it.
      body = document.body
      widgets.restyle()
    })
  })
  observer.observe(document.documentElement, { childList: true, subtree: true })
}

/** Returns what the tag of our own script says, and the service's address by it. */
function scriptAddress(): OwnScript {
  const script = ownScript()
  const [, folder = '', version = ''] = ADDRESS.exec(script?.src ?? '') ?? []
  const base = script?.getAttribute('data-api-base') ?? folder
  // `integrity` does not apply to workers.
  const workerFile = folder && !script?.integrity ? `${folder}assets/captcha.js${version}` : ''
  return { base: base || '/', workerFile, version }
}

const ADDRESS = /(.+\/)assets\/(?:captcha|compat)\.js(.*)/

/** Returns the tag of our own script. Through the prototype: an image named `currentScript` would hide it. A module has none. */
export const ownScript = (): HTMLScriptElement | undefined =>
  (Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null) ??
  [...document.scripts].find(({ src, dataset }) => ADDRESS.test(src) || dataset['apiBase'])

/** An earlier script cancels this event; not after `document.open()`, which removes listeners but keeps the window's properties. */
const ALIVE = 'svc-captcha:alive'
const isAlive = (): boolean =>
  !!window.svcCaptcha && !window.dispatchEvent(new Event(ALIVE, { cancelable: true }))

/** Starts the widgets of the page. Of several scripts, also of different versions, the first one counts. */
export function svcCaptcha(): SvcCaptcha {
  if (!isAlive()) {
    window.svcCaptcha = start()
    window.addEventListener(ALIVE, (event) => event.preventDefault())
  }
  return window.svcCaptcha!
}
