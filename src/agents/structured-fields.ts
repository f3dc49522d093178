/**
 * Reads structured fields, as far as signatures use them: dictionaries of items and inner lists, each with parameters.
 *
 * @see RFC 9651, section 4.2; dates and display strings (RFC 9651, sections 3.3.7 and 3.3.8) are refused.
 */

/** A word without quotes; a string of the field is a string here. */
export interface FieldToken {
  readonly token: string
}
export type BareItem = string | number | boolean | FieldToken | Buffer
export type Parameters = ReadonlyMap<string, BareItem>
export interface Item {
  readonly value: BareItem
  readonly parameters: Parameters
}
export interface InnerList {
  readonly items: readonly Item[]
  readonly parameters: Parameters
}
export type Dictionary = ReadonlyMap<string, Item | InnerList>

/** Characters of a header that are read; a signature with all of its headers has a few hundred. */
const LONGEST = 4096
/** Members, items and parameters, each; genuine signatures have fewer than ten. */
const MOST = 64

class Malformed extends Error {}

/** @returns undefined for what is no dictionary, is too long, or has too many members. */
export const readDictionary = (text: string): Dictionary | undefined => attempt(text, (reader) => reader.dictionary())

/** @returns undefined for what is no item. */
export const readItem = (text: string): Item | undefined => attempt(text, (reader) => reader.item())

export const isInnerList = (member: Item | InnerList): member is InnerList => 'items' in member

function attempt<T>(text: string, read: (reader: Reader) => T): T | undefined {
  if (text.length > LONGEST) return undefined
  const reader = new Reader(text)
  try {
    reader.skip(/[ ]*/y)
    const value = read(reader)
    reader.skip(/[ ]*/y)
    return reader.atEnd() ? value : undefined
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Walks through the text from left to right; each pattern is sticky and takes time in the length of what it matches. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  atEnd(): boolean {
    return this.#at === this.#text.length
  }

  skip(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)?.[0]
    if (match !== undefined) this.#at += match.length
    return match
  }

  #want(pattern: RegExp): string {
    const match = this.skip(pattern)
    if (match === undefined) throw new Malformed()
    return match
  }

  dictionary(): Dictionary {
    const members = new Map<string, Item | InnerList>()
    while (!this.atEnd()) {
      const key = this.#key()
      // Of two equal members the last one counts.
      members.set(key, this.skip(/=/y) ? this.#member() : { value: true, parameters: this.#parameters() })
      if (members.size > MOST) throw new Malformed()
      this.skip(/[ \t]*/y)
      if (this.atEnd()) break
      this.#want(/,[ \t]*/y)
      if (this.atEnd()) throw new Malformed()
    }
    return members
  }

  item(): Item {
    return { value: this.#bare(), parameters: this.#parameters() }
  }

  #member(): Item | InnerList {
    if (!this.skip(/\(/y)) return this.item()
    const items: Item[] = []
    this.skip(/ */y)
    while (!this.skip(/\)/y)) {
      items.push(this.item())
      if (items.length > MOST) throw new Malformed()
      this.#want(/ +|(?=\))/y)
    }
    return { items, parameters: this.#parameters() }
  }

  #key(): string {
    return this.#want(/[a-z*][a-z0-9_.*-]*/y)
  }

  #parameters(): Parameters {
    const parameters = new Map<string, BareItem>()
    while (this.skip(/; */y) !== undefined) {
      const key = this.#key()
      parameters.set(key, this.skip(/=/y) ? this.#bare() : true)
      if (parameters.size > MOST) throw new Malformed()
    }
    return parameters
  }

  #bare(): BareItem {
    const string = this.skip(/"(?:[ !#-[\]-~]|\\["\\])*"/y)
    if (string !== undefined) return string.slice(1, -1).replace(/\\(["\\])/g, '$1')
    const bytes = this.skip(/:[A-Za-z0-9+/]*={0,2}:/y)
    if (bytes !== undefined) return Buffer.from(bytes.slice(1, -1), 'base64')
    const number = this.skip(/-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])/y)
    if (number !== undefined) return Number(number)
    const boolean = this.skip(/\?[01]/y)
    if (boolean !== undefined) return boolean === '?1'
    return { token: this.#want(/[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*/y) }
  }
}

/** Spells a list of components with its parameters in the one way that a signature is made over. RFC 9651, section 4.1. */
export const spellInnerList = ({ items, parameters }: InnerList): string =>
  `(${items.map(spellItem).join(' ')})${spellParameters(parameters)}`

export const spellItem = ({ value, parameters }: Item): string => `${spellBare(value)}${spellParameters(parameters)}`

const spellParameters = (parameters: Parameters): string =>
  [...parameters].map(([key, value]) => (value === true ? `;${key}` : `;${key}=${spellBare(value)}`)).join('')

function spellBare(value: BareItem): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? '?1' : '?0'
  return Buffer.isBuffer(value) ? `:${value.toString('base64')}:` : value.token
}
