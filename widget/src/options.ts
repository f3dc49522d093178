import { ENGLISH, type Texts } from './texts.ts'

type Callback<T extends unknown[]> = ((...args: T) => void) | string

/** How a widget is set up: attributes of the container, or the second argument of `render`. CONTRACT.md, section 5. */
export interface Options {
  readonly sitekey: string
  readonly action: string
  /** Absolute, with a slash at its end; '' when it is no http(s) address. */
  readonly apiBase: string
  readonly theme: 'auto' | 'light' | 'dark'
  readonly size: 'normal' | 'compact' | 'flexible' | 'invisible'
  /** `auto` or a BCP 47 tag. */
  readonly language: string
  readonly start: 'focus' | 'load' | 'submit' | 'manual'
  readonly responseFieldName: string
  readonly cdata: string
  readonly tabindex: number
  /** Functions, or their names on `window`. */
  readonly callback?: Callback<[token: string]>
  readonly expiredCallback?: Callback<[]>
  readonly errorCallback?: Callback<[code: number]>
  readonly resetCallback?: Callback<[]>
  /** Words that replace ours; as attributes `data-text-label` and so on. */
  readonly texts: Partial<Texts>
}

type Words = Record<string, string | undefined>

/**
 * Attribute names are the option names, as `dataset` spells them. What is given in the call wins, and may also be
 * spelled as an attribute, without `data-`: Turnstile's options are (docs/migrate.md).
 */
export function readOptions(container: HTMLElement, given: Partial<Options>, ownBase: string): Options {
  const read = bare(container.dataset) as Words
  const said = bare(given) as Words
  for (const name in said)
    if (said[name] !== undefined) read[name.replace(/-(.)/g, (_, c: string) => c.toUpperCase())] = said[name]
  const oneOf = <T extends string>(name: string, words: readonly [T, ...T[]]): T =>
    words.find((word) => word === read[name]) ?? words[0]
  const wanted = bare(read['texts']) as Words
  const texts: Record<string, string> = {}
  for (const name of Object.keys(ENGLISH)) {
    const text = wanted[name] ?? read[`text${name[0]!.toUpperCase()}${name.slice(1)}`]
    if (text !== undefined) texts[name] = text
  }
  return bare(read, {
    texts,
    sitekey: read['sitekey'] ?? '',
    action: read['action'] ?? '',
    apiBase: baseFrom(read['apiBase'] ?? ownBase),
    theme: oneOf('theme', ['auto', 'light', 'dark']),
    size: oneOf('size', ['normal', 'compact', 'flexible', 'invisible']),
    language: read['language'] || 'auto',
    start: oneOf('start', ['focus', 'load', 'submit', 'manual']),
    responseFieldName: read['responseFieldName'] || 'svc-response',
    cdata: read['cdata'] ?? '',
    tabindex: Number(read['tabindex']) || 0,
  } satisfies Options) as Options
}

/** Joined, without a prototype: what other scripts of the page put on `Object.prototype` is no option and no answer. */
export const bare = (...parts: unknown[]): object => Object.assign(Object.create(null), ...parts) as object

function baseFrom(text: string): string {
  try {
    const { protocol, href } = new URL(text, document.baseURI)
    return /^https?:$/.test(protocol) ? href.replace(/([^/])$/, '$1/') : ''
  } catch {
    return ''
  }
}

/** Calls a function of the page; its mistakes are the page's, and do not stop us. */
export function callBack<T extends unknown[]>(callback: Callback<T> | undefined, ...args: T): void {
  const fn = typeof callback === 'string' ? (window as unknown as Record<string, unknown>)[callback] : callback
  if (typeof fn !== 'function') return
  try {
    fn(...args)
  } catch (error) {
    setTimeout(() => {
      throw error
    })
  }
}
