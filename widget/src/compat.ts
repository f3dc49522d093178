import type { SvcCaptcha } from '../captcha.d.ts'
import { installCap } from './compat-cap.ts'
import { tellDeveloper } from './developer-log.ts'
import { callBack } from './options.ts'
import { ownScript, svcCaptcha } from './svc-captcha.ts'

/**
 * `compat.js?as=turnstile|hcaptcha|grecaptcha|cap`, or the path that another service's script has: captcha.js with the global,
 * classes, attributes and field of that service.
 * docs/start/migrate.md, "The page as it is"
 */

const KINDS = {
  turnstile: { className: 'cf-turnstile', field: 'cf-turnstile-response' },
  hcaptcha: { className: 'h-captcha', field: 'h-captcha-response' },
  grecaptcha: { className: 'g-recaptcha', field: 'g-recaptcha-response' },
} as const

type Which = string | number | HTMLElement | undefined
type Given = Record<string, unknown>

interface Widget {
  readonly container: HTMLElement
  readonly mount: () => string
  /** True if a token is requested only when the page asks. */
  readonly isManual: boolean
  /** The id that captcha.js gave the widget. */
  id: string
}

/** Matches our own path, and the paths of the scripts of reCAPTCHA, Turnstile and hCaptcha. */
const SCRIPT = /^(.+\/)(?:assets\/compat|(recaptcha|turnstile)(?:\/v0)?\/api|(1)\/api)\.js\??(.*)/
const [, base = '', vendor, ofHcaptcha, query] = SCRIPT.exec(ownScript()?.src ?? '') ?? []
const parameters = new URLSearchParams(query)
let as: keyof typeof KINDS
let kind: (typeof KINDS)[typeof as]
let api: SvcCaptcha
/** A removed widget leaves a gap, so that its number is not used again. */
const widgets: (Widget | undefined)[] = []
/** Invisible widgets of reCAPTCHA's `execute(sitekey, {action})`, by sitekey and action. */
const invisible: Record<string, number> = {}

const call = (callback: unknown, ...args: unknown[]): void => callBack(callback as string, ...args)

/** Finds an element by selector or, as in two of the three services, by id. */
const elementOf = (which: string): HTMLElement | null =>
  document.getElementById(which.replace(/^#/, '')) ?? document.querySelector(which)

function indexOf(which: Which): number {
  if (which === undefined) return 0
  if (typeof which !== 'object' && which in widgets) return Number(which)
  const element = typeof which === 'object' ? which : elementOf(String(which))
  return widgets.findIndex((one) => one?.container === element)
}

/** Returns '' if there is no widget. */
const idAt = (which: Which): string => widgets[indexOf(which)]?.id ?? ''

/** @param own options in the words of the service; they override attributes. */
function render(where: HTMLElement | string, own: Given = {}): string | number {
  const place = typeof where === 'string' ? elementOf(where) : where
  if (!place) throw new TypeError(`${as}: no such element`)
  const options = camelCased(Object.assign({} as Given, place.dataset, own))
  const isButton = /^(button|input)$/.test(place.localName)
  const container = isButton ? document.createElement('div') : place
  const isThere = widgets.findIndex((one) => one?.container === container)
  if (isThere >= 0) return nameOf(isThere)
  if (isButton) options['size'] = 'invisible'
  const isManual = options['size'] === 'invisible' || options['execution'] === 'execute'
  const index = widgets.length
  const mapped = mappedOptions(options, isManual, index)
  const mount = (): string => api.render(container, mapped)
  if (isButton) {
    place.before(container)
    place.addEventListener('click', (event) => {
      event.preventDefault()
      void execute(index)
    })
  }
  widgets.push({ container, mount, isManual, id: mount() })
  return nameOf(index)
}

/** Spells options as scripts do: `data-expired-callback` and `expired-callback` are `expiredCallback`. */
function camelCased(all: Given): Given {
  const options: Given = {}
  for (const name in all)
    options[name.replace(/-(.)/g, (_, c: string) => c.toUpperCase())] = all[name]
  return options
}

/** Returns options in our words for those of the service. */
function mappedOptions(options: Given, isManual: boolean, index: number): Given {
  return {
    language: options['hl'] ?? parameters.get('hl') ?? undefined,
    responseFieldName: kind.field,
    cdata: options['cData'],
    ...options,
    apiBase: base,
    execution: isManual ? 'submit' : 'render',
    start: isManual ? 'manual' : 'load',
    // These pages keep the token of their callback, so they must hear of each renewal.
    refreshExpired: 'manual',
    expiredCallback() {
      call(options['expiredCallback'])
      if (as === 'turnstile' && !isManual && (options['refreshExpired'] ?? 'auto') === 'auto')
        reset(index)
    },
  }
}

/** reCAPTCHA numbers its widgets. */
const nameOf = (index: number): string | number => (as === 'grecaptcha' ? index : String(index))

function execute(which?: Which, options?: Given): Promise<unknown> {
  let index = indexOf(which)
  if (index < 0) {
    const action = options?.['action']
    const name = `${which as string} ${action as string}`
    const place = document.body.appendChild(document.createElement('div'))
    const hidden = { sitekey: which, action, size: 'invisible', 'response-field': false }
    index = invisible[name] ?? Number(render(place, hidden))
    invisible[name] = index
  }
  const token = api.execute(widgets[index]?.id ?? '')
  // Most pages use their callback.
  token.catch(() => {})
  return options?.['async'] ? token.then((response) => ({ response, key: '' })) : token
}

function reset(which?: Which): void {
  const widget = widgets[indexOf(which)]
  if (!widget) return
  if (!widget.isManual) return api.reset(widget.id)
  // `reset` would request a token, and the page may send its form in the callback.
  api.remove(widget.id)
  widget.id = widget.mount()
}

const global = {
  ready: (task: () => void): void => api.ready(task),
  render,
  execute,
  reset,
  getResponse: (which?: Which): string => api.getResponse(idAt(which)),
  isExpired: (which?: Which): boolean => api.isExpired(idAt(which)),
  remove(which?: Which): void {
    api.remove(idAt(which))
    widgets[indexOf(which)] = undefined
  },
  getRespKey: () => '',
  setData() {},
}

/** Returns the service that the page was made for, by the script's address or by the classes in the page. */
function detect(): keyof typeof KINDS | undefined {
  const name = (parameters.get('as') ?? vendor ?? (ofHcaptcha && 'hcaptcha'))
    ?.toLowerCase()
    .replace(/^recaptcha/, 'grecaptcha')
  const names = Object.keys(KINDS) as (keyof typeof KINDS)[]
  return (
    names.find((one) => one === name) ??
    names.find((one) => document.querySelector(`.${KINDS[one].className}`))
  )
}

function install(name: keyof typeof KINDS): void {
  as = name
  kind = KINDS[name]
  Object.assign(window, { [as]: Object.assign(global, { enterprise: global }) })
  api = svcCaptcha()
  api.ready(() => {
    if (parameters.get('render') !== 'explicit')
      for (const one of document.querySelectorAll<HTMLElement>(`.${kind.className}[data-sitekey]`))
        render(one)
    call(parameters.get('onload'))
  })
}

const NO_PROVIDER =
  'compat.js needs as=turnstile, as=hcaptcha, as=recaptcha or as=cap in its address'

function begin(): void {
  if (parameters.get('as') === 'cap') return installCap(svcCaptcha())
  const name = detect()
  if (name) install(name)
  else if (document.readyState === 'loading')
    document.addEventListener('DOMContentLoaded', begin, { once: true })
  else tellDeveloper('error', NO_PROVIDER)
}
begin()
