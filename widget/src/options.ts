import type { SvcCaptchaOptions } from '../captcha.d.ts'
import type { ErrorNumber } from './errors.ts'
import { formOfContainer } from './form-owner.ts'
import { ENGLISH } from './texts.ts'

export type PageOptions = Partial<SvcCaptchaOptions>
type Callback = 'callback' | Extract<keyof SvcCaptchaOptions, `${string}Callback`>
type Absent = Callback | 'stepUp' | 'pass'
/** The options of a widget, defaults filled in. `apiBase` is absolute and ends with a slash; '' if it is not an http(s) address. */
export type Options = Required<Omit<SvcCaptchaOptions, Absent>> & Pick<SvcCaptchaOptions, Absent>

/** The custom element; its attributes need no `data-`. */
export const ELEMENT = 'human-verification'

type Words = Record<string, string | undefined>

/**
 * Reads the options of a container. An option of the call overrides an attribute, and may be spelled like one without `data-`, as
 * Turnstile's are (docs/start/migrate.md).
 *
 * @param ownBase the service's address by our own script. Visitors may be able to write attributes, so an attribute cannot name
 *   another origin; a script of the page can.
 */
export function readOptions(
  container: HTMLElement,
  options: PageOptions,
  ownBase: string,
): Options {
  const read = written(container, ownBase)
  const own = bare(options) as Words
  for (const name in own) put(read, name, own[name])
  /** @param words the allowed values, the default first. */
  const oneOf = <T extends keyof Options>(name: T, words: string): Options[T] => {
    const all = words.split(' ')
    return all[Math.max(0, all.indexOf(read[name] ?? ''))] as Options[T]
  }
  const text = (name: keyof Options, otherwise = ''): string => read[name] || otherwise
  const execution = oneOf('execution', 'submit render')
  const hasStart = text('start') || execution === 'submit'
  return bare(read, {
    texts: textsIn(read),
    sitekey: text('sitekey'),
    action: text('action'),
    apiBase: text('apiBase') && baseFrom(text('apiBase')),
    theme: oneOf('theme', 'auto light dark'),
    size: oneOf('size', 'normal compact flexible invisible'),
    language: text('language', 'auto'),
    start: hasStart ? oneOf('start', 'focus load submit manual') : 'load',
    execution,
    appearance: oneOf('appearance', 'always execute interaction-only'),
    retry: oneOf('retry', 'auto never'),
    retryInterval: Number(read['retryInterval']) || 0,
    refreshExpired: oneOf('refreshExpired', 'auto manual never'),
    consoleProbe: String(read['consoleProbe']) !== 'false',
    wholeWork: String(read['wholeWork']) === 'true',
    responseField: String(read['responseField']) !== 'false',
    responseFieldName: text('responseFieldName', 'svc-response'),
    cdata: text('cdata'),
    tabindex: Number(read['tabindex']) || 0,
  } satisfies Options) as Options
}

/** Reads the attributes of a container. */
function written(container: HTMLElement, ownBase: string): Words {
  const read = bare(container.dataset) as Words
  if (container.localName === ELEMENT)
    for (const { name, value } of container.attributes) put(read, name.replace(/^data-/, ''), value)
  // A name is called for a form of the page, or if it looks like that of a handler.
  for (const name in read)
    if (/callback$/i.test(name) && !read[name]!.startsWith('on') && !formOfContainer(container))
      delete read[name]
  const base = baseFrom(read['apiBase'] ?? ownBase)
  read['apiBase'] = base && originOf(base) === originOf(baseFrom(ownBase)) ? base : ''
  return read
}

function put(read: Words, name: string, value: string | undefined): void {
  if (value !== undefined) read[name.replace(/-(.)/g, (_, c: string) => c.toUpperCase())] = value
}

function textsIn(read: Words): Record<string, string> {
  const overrides = bare(read['texts']) as Words
  const texts: Record<string, string> = {}
  for (const name of Object.keys(ENGLISH)) {
    const text = overrides[name] ?? read[`text${name[0]!.toUpperCase()}${name.slice(1)}`]
    if (text !== undefined) texts[name] = text
  }
  return texts
}

/** docs/api/api.md, "POST /api/v1/challenge". Empty: the site's default. */
const ACTION = /^[\w\-/.]{0,64}$/

/** Returns the error of a wrong set-up that shows without a request; undefined if there is none. */
export function setUpFault({ sitekey, action, apiBase }: Options): ErrorNumber | undefined {
  if (!sitekey) return 100
  if (!ACTION.test(action)) return 101
  if (!apiBase) return 106
  // A sandboxed frame without `allow-same-origin`, or a file: no site can list it.
  return window.origin === 'null' ? 103 : undefined
}

/** Merges objects without a prototype, so that nothing on the page's `Object.prototype` is read as an option or an answer. */
export const bare = (...parts: unknown[]): object =>
  Object.assign(Object.create(null), ...parts) as object

function baseFrom(text: string): string {
  try {
    const { protocol, href } = new URL(text, document.baseURI)
    return /^https?:$/.test(protocol) ? href.replace(/\/?$/, '/') : ''
  } catch {
    return ''
  }
}

const originOf = (address: string): string => address && new URL(address).origin

/** Calls a function of the page; its exceptions do not stop the widget. */
export function callBack<T extends unknown[]>(
  callback: ((...args: T) => void) | string | undefined,
  ...args: T
): void {
  const fn = typeof callback === 'string' ? functionOf(callback) : callback
  if (typeof fn !== 'function') return
  try {
    fn(...args)
  } catch (error) {
    setTimeout(() => {
      throw error
    })
  }
}

/** Returns the page's function of that name. Visitors may be able to write the name, so native functions such as `eval` do not count. */
function functionOf(name: string): ((...args: unknown[]) => void) | undefined {
  const fn: unknown = Object.getOwnPropertyDescriptor(window, name)?.value
  const isPages =
    typeof fn === 'function' &&
    (fn.name.startsWith('bound ') || !/\[native code\]/.test(Function.prototype.toString.call(fn)))
  return isPages ? (fn as () => void) : undefined
}
