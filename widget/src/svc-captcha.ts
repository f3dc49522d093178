import type { SvcCaptcha, SvcCaptchaWhich as Which } from '../captcha.d.ts'
import { fetchWithToken } from './call.ts'
import { after, deadlineIn, wait } from './clock.ts'
import { defineElement } from './element.ts'
import { callBack, ELEMENT, type GivenOptions, type Options, readOptions } from './options.ts'
import { mountWidget, type Widget } from './widget.ts'

interface Mounted {
  readonly id: string
  readonly container: HTMLElement
  readonly given: GivenOptions
  readonly options: Options
  widget: Widget
  wasConnected: boolean
}

const SELECTOR = `.svc-captcha,${ELEMENT}`
/** The time that a container without a sitekey waits for a script to render it; then it is an error. */
const RENDERING_MS = 2000
/** A change of these options needs another challenge or field, so the widget is mounted again. */
const BINDING = [
  'sitekey',
  'action',
  'apiBase',
  'cdata',
  'language',
  'responseField',
  'responseFieldName',
] as const
/** The time that a node may be outside the document while a framework moves it. */
const MOVING_MS = 1000

function start(): SvcCaptcha {
  const script = ownScript()
  const address = script?.src ?? ''
  const [, folder = '', version = ''] = ADDRESS.exec(address) ?? []
  const base = script?.getAttribute('data-api-base') ?? folder
  // `integrity` does not apply to workers.
  const workerFile = folder && !script?.integrity ? `${folder}assets/captcha.js${version}` : ''
  const mount = (container: HTMLElement, options: Options, isOfScript: boolean): Widget =>
    mountWidget(container, options, workerFile, version, isOfScript)
  const mounted = new Map<string, Mounted>()
  /** Containers outside the document, mounted again if they come back, as with cached tabs and routes. */
  const away = new Map<
    string,
    { readonly place: WeakRef<HTMLElement>; readonly options: GivenOptions }
  >()
  /** Containers whose widget a script removed: empty until it renders again. */
  const released = new WeakSet<HTMLElement>()
  /** Containers without a sitekey. */
  const bare = new WeakSet<HTMLElement>()
  const waiting: (() => void)[] = []
  let isReady = false
  let count = 0

  const find = (which?: Which): Mounted | undefined => {
    if (typeof which === 'string') return mounted.get(which)
    for (const one of mounted.values()) if (!which || one.container === which) return one
    return undefined
  }

  function render(
    where: HTMLElement | string,
    options: GivenOptions = {},
    id = '',
    isOfScript = true,
  ): string {
    const container = typeof where === 'string' ? document.querySelector<HTMLElement>(where) : where
    if (!container) throw missing('element')
    const there = find(container)
    // A widget without a sitekey only shows the error.
    if (there && (there.options.sitekey || !options.sitekey)) return there.id
    if (there) remove(there.id)
    released.delete(container)
    if (container.localName === ELEMENT) defineElement()
    id ||= `svc-captcha-${++count}`
    const read = (): Options => readOptions(container, options, base || '/')
    const now = read()
    const one: Mounted = {
      id,
      container,
      given: options,
      options: now,
      widget: mount(container, now, isOfScript),
      wasConnected: container.isConnected,
    }
    mounted.set(id, one)
    const changes = new MutationObserver(() => {
      if (mounted.get(id) !== one) return changes.disconnect()
      const then = { ...now }
      Object.assign(now, read())
      if (BINDING.every((name) => then[name] === now[name])) return one.widget.restyle()
      one.widget.remove()
      one.widget = mount(container, now, isOfScript)
    })
    changes.observe(container, { attributes: true })
    return id
  }

  function remove(which?: Which): void {
    const one = find(which)
    if (!one) return
    mounted.delete(one.id)
    one.widget.remove()
  }

  /** Removes a widget whose container has left the document, once no submit is held. */
  function leave(one: Mounted): void {
    if (mounted.get(one.id) !== one || one.container.isConnected) return
    if (one.widget.isHolding()) return void after(MOVING_MS, () => leave(one))
    remove(one.id)
    if ('WeakRef' in window)
      away.set(one.id, { place: new WeakRef(one.container), options: one.given })
  }

  /** Mounts new containers and removes widgets of containers that are gone. */
  function scan(): void {
    for (const [id, { place, options }] of away) {
      const container = place.deref()
      if (container && !container.isConnected) continue
      away.delete(id)
      if (container && !find(container)) render(container, options, id)
    }
    for (const container of document.querySelectorAll<HTMLElement>(SELECTOR)) {
      if (released.has(container) || find(container)) continue
      if (readOptions(container, {}, '').sitekey) render(container, {}, '', false)
      else if (!bare.has(container)) {
        bare.add(container)
        after(RENDERING_MS, () => container.isConnected && !find(container) && render(container))
      }
    }
    for (const one of mounted.values()) {
      if (one.container.isConnected) {
        one.wasConnected = true
        // Libraries that morph the page to the server's HTML empty the container.
        if (!one.container.firstElementChild) one.widget.restyle()
      } else if (one.wasConnected) after(MOVING_MS, () => leave(one))
    }
  }

  let body = document.body
  let isScanning = false
  function scanSoon(): void {
    if (isScanning) return
    isScanning = true
    after(30, () => {
      isScanning = false
      scan()
      if (body === document.body) return
      // A router has replaced it.
      body = document.body
      for (const { widget } of mounted.values()) widget.restyle()
    })
  }

  function begin(): void {
    scan()
    new MutationObserver(scanSoon).observe(document.documentElement, {
      childList: true,
      subtree: true,
    })
    isReady = true
    for (const task of waiting) callBack(task)
  }

  if (document.readyState === 'loading')
    document.addEventListener('DOMContentLoaded', begin, { once: true })
  else begin()

  const existing = (which?: Which): Widget => {
    const one = find(which)
    if (!one) throw missing('widget')
    return one.widget
  }
  const captcha: SvcCaptcha = {
    ready: (task) => void (isReady ? callBack(task) : waiting.push(task)),
    render: (where, options) => render(where, options),
    async execute(which, { waitForFocusMs = 0 } = {}) {
      const leftMs = deadlineIn(waitForFocusMs)
      while (leftMs() > 0 && !document.hasFocus()) await wait(100)
      return existing(which).execute()
    },
    fetch: (...args) => fetchWithToken(captcha, (which) => existing(which).spend(), ...args),
    stepUp: async (which, ticket) => existing(which).stepUp(ticket),
    getResponse: (which) => find(which)?.widget.response() ?? '',
    isExpired: (which) => find(which)?.widget.isExpired() ?? false,
    reset: (which) => existing(which).reset(),
    refused: (which) => existing(which).refused(),
    remove(which) {
      const one = find(which)
      if (one) released.add(one.container)
      if (typeof which === 'string') away.delete(which)
      for (const [id, { place }] of away) if (place.deref() === which) away.delete(id)
      remove(which)
    },
  }
  return captcha
}

const missing = (what: string): TypeError => new TypeError(`svc-captcha: no such ${what}`)

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
