import type { SvcCaptchaWhich as Which } from '../captcha.d.ts'
import { after } from './clock.ts'
import { defineElement } from './element.ts'
import { ELEMENT, type PageOptions, type Options, readOptions } from './options.ts'
import { mountWidget, type OwnScript, type Widget } from './widget.ts'

interface Mounted {
  readonly id: string
  readonly container: HTMLElement
  /** The options that a script of the page gave. */
  readonly pageOptions: PageOptions
  readonly options: Options
  widget: Widget
  wasConnected: boolean
}

/** Where a widget comes from. */
interface Origin {
  /** The id of the widget that was there before. */
  readonly id?: string
  /** Whether a script of the page asked for it, rather than the container's class. */
  readonly isOfScript?: boolean
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

export type MountedWidgets = ReturnType<typeof mountedWidgets>

/** Mounts the widgets of the page, those of markup and those that scripts render, and finds them again. */
export function mountedWidgets(script: OwnScript) {
  const mounted = new Map<string, Mounted>()
  /** Containers outside the document, mounted again if they come back, as with cached tabs and routes. */
  const away = new Map<
    string,
    { readonly place: WeakRef<HTMLElement>; readonly options: PageOptions }
  >()
  /** Containers whose widget a script removed: empty until it renders again. */
  const released = new WeakSet<HTMLElement>()
  /** Containers without a sitekey. */
  const bare = new WeakSet<HTMLElement>()
  let count = 0

  const find = (which?: Which): Mounted | undefined => {
    if (typeof which === 'string') return mounted.get(which)
    for (const one of mounted.values()) if (!which || one.container === which) return one
    return undefined
  }

  function render(
    where: HTMLElement | string,
    pageOptions: PageOptions = {},
    { id: earlier, isOfScript = true }: Origin = {},
  ): string {
    const container = typeof where === 'string' ? document.querySelector<HTMLElement>(where) : where
    if (!container) throw missing('element')
    const there = find(container)
    // A widget without a sitekey only shows the error.
    if (there && (there.options.sitekey || !pageOptions.sitekey)) return there.id
    if (there) unmount(there)
    released.delete(container)
    if (container.localName === ELEMENT) defineElement()
    const id = earlier ?? `svc-captcha-${++count}`
    const read = (): Options => readOptions(container, pageOptions, script.base)
    const options = read()
    const mount = (): Widget => mountWidget(container, options, script, isOfScript)
    const wasConnected = container.isConnected
    const one: Mounted = { id, container, pageOptions, options, widget: mount(), wasConnected }
    mounted.set(id, one)
    const changes = new MutationObserver(() => {
      if (mounted.get(id) !== one) return changes.disconnect()
      const before = { ...options }
      Object.assign(options, read())
      if (BINDING.every((name) => before[name] === options[name])) return one.widget.restyle()
      one.widget.remove()
      one.widget = mount()
    })
    changes.observe(container, { attributes: true })
    return id
  }

  function unmount({ id, widget }: Mounted): void {
    mounted.delete(id)
    widget.remove()
  }

  /** Removes a widget whose container has left the document, once no submit is held. */
  function leave(one: Mounted): void {
    if (mounted.get(one.id) !== one || one.container.isConnected) return
    if (one.widget.isHolding()) return void after(MOVING_MS, () => leave(one))
    unmount(one)
    if ('WeakRef' in window)
      away.set(one.id, { place: new WeakRef(one.container), options: one.pageOptions })
  }

  /** Mounts containers that have come back. */
  function bringBack(): void {
    for (const [id, { place, options }] of away) {
      const container = place.deref()
      if (container && !container.isConnected) continue
      away.delete(id)
      if (container && !find(container)) render(container, options, { id })
    }
  }

  /** Mounts the containers of markup. */
  function mountNew(): void {
    for (const container of document.querySelectorAll<HTMLElement>(SELECTOR)) {
      if (released.has(container) || find(container)) continue
      if (readOptions(container, {}, '').sitekey) render(container, {}, { isOfScript: false })
      else if (!bare.has(container)) {
        bare.add(container)
        after(RENDERING_MS, () => container.isConnected && !find(container) && render(container))
      }
    }
  }

  return {
    render,
    widget: (which?: Which): Widget | undefined => find(which)?.widget,
    restyle(): void {
      for (const { widget } of mounted.values()) widget.restyle()
    },
    /** Mounts new containers and removes widgets of containers that are gone. */
    scan(): void {
      bringBack()
      mountNew()
      for (const one of mounted.values()) {
        if (one.container.isConnected) {
          one.wasConnected = true
          // Libraries that morph the page to the server's HTML empty the container.
          if (!one.container.firstElementChild) one.widget.restyle()
        } else if (one.wasConnected) after(MOVING_MS, () => leave(one))
      }
    },
    /** Removes a widget for good; its container stays empty. */
    remove(which?: Which): void {
      const one = find(which)
      if (one) {
        released.add(one.container)
        unmount(one)
      }
      if (typeof which === 'string') away.delete(which)
      for (const [id, { place }] of away) if (place.deref() === which) away.delete(id)
    },
  }
}

export const missing = (what: string): TypeError => new TypeError(`svc-captcha: no such ${what}`)
