/** What the program behind the gate may take a request for: servers decode, cut and resolve a path in different orders. Pure. */
import { posix } from 'node:path'

type Step = (path: string) => string

/**
 * Readings of a path that are looked at: each costs every step, and 48 bytes can have 1,900. An address in a path, as
 * `/proxy/http%3A%2F%2Fexample.com%2Fa%3Fb`, has 12.
 */
export const MOST_READINGS = 32
/** Characters of all readings together: a step costs as much as its text is long. */
const MOST_CHARACTERS = 16_384

const textOfCode = (hex: string): string =>
  Buffer.from(String.fromCodePoint(parseInt(hex, 16))).toString('latin1')
/** Decodes `%61`, or `%u0061`, which IIS reads as well. */
const decodeEscape = (escape: string): string =>
  escape.length === 3
    ? String.fromCharCode(parseInt(escape.slice(1), 16))
    : textOfCode(escape.slice(2))
/** Decodes once, byte by byte. */
const decode: Step = (path) => path.replaceAll(/%(?:u[0-9a-f]{4}|[0-9a-f]{2})/gi, decodeEscape)
/** Apache (`AllowEncodedSlashes NoDecode`) and Tomcat resolve dots while `%2f` is no slash yet. */
const decodeAllButSlashes: Step = (path) => path.replaceAll(/%(?!2f|5c)[0-9a-f]{2}/gi, decodeEscape)
const turnBackslashes: Step = (path) => path.replaceAll('\\', '/')
/** Removes `;name=value` from each segment, as servlets do (RFC 3986, 3.3). */
const dropParameters: Step = (path) => path.replaceAll(/;[^/]*/g, '')
const mergeSlashesAndResolveDots: Step = (path) => posix.normalize(`/${path}`)
/** Resolves `/a//../b` to `/a/b`, as WHATWG's URL does: there an empty segment counts. */
function resolveDots(path: string): string {
  const resolved: string[] = []
  const segments = path.split('/').slice(1)
  for (const segment of segments)
    if (segment === '..') resolved.pop()
    else if (segment !== '.') resolved.push(segment)
  if (/^\.\.?$/.test(segments.at(-1) ?? '')) resolved.push('')
  return `/${resolved.join('/')}`
}
const cutAtDelimiters: Step = (path) => path.replace(/[?#\0].*/s, '')
/** Returns what is behind a name: `new URL(req.url, base)` reads `//name/path` as an address. */
const dropAuthority: Step = (path) => path.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/[^/]*/i, '')
/** Removes what WHATWG's URL ignores. */
const dropLineBreaks: Step = (path) => path.replaceAll(/[\t\r\n]/g, '')
/** Composes letters: file systems and frameworks take a ligature or a full-width letter for others. */
const composeLetters: Step = (path) =>
  /[^\0-\x7f]/.test(path) ? Buffer.from(textOf(path).normalize('NFKC')).toString('latin1') : path

const SPELLINGS: readonly Step[] = [
  decode,
  decodeAllButSlashes,
  turnBackslashes,
  dropParameters,
  mergeSlashesAndResolveDots,
  resolveDots,
  cutAtDelimiters,
  dropAuthority,
  dropLineBreaks,
  composeLetters,
]

const SCRIPT = String.raw`\.(?:php\d?|phtml|cgi|fcgi|pl|py|rb|aspx?|ashx|jspx?|cfm|exe|dll)`
const SCRIPT_WITH_PATH = new RegExp(`${SCRIPT}/`, 'i')
const SCRIPT_SEGMENT = new RegExp(String.raw`/[^/]*${SCRIPT}(?=/)`, 'i')
const BEHIND_SCRIPT = new RegExp(`(?<=${SCRIPT})/.*`, 'is')
/** Reports whether a path goes on behind the name of a program, as `/index.php/search` does. */
export const isScriptWithPath = (path: string): boolean => SCRIPT_WITH_PATH.test(path)

/** Returns what a front controller serves: `/search` for `/index.php/search`. */
const dropScript: Step = (path) => path.replace(SCRIPT_SEGMENT, '')
/** Returns the script that gets the rest of the path as PATH_INFO. */
const dropPathInfo: Step = (path) => path.replace(BEHIND_SCRIPT, '')
const dropIndex: Step = (path) => path.replace(/(?<=\/)index\.\w+$/i, '')
/** Returns what routers without `strict` serve. */
const dropLastSlash: Step = (path) => path.replace(/(?<=[^/])\/+$/, '')
/** Windows opens `name` for each of these. */
const ENDS_OF_NAMES = {
  'dots and spaces after a name': /(?<=[^/. ])[. ]+(?=\/|$)/,
  'a stream, as in name::$DATA': /:[^/]*/,
  'spaces at the end of a segment': /(?<! ) +(?=\/|$)/,
}
const END_OF_NAME = new RegExp(
  Object.values(ENDS_OF_NAMES)
    .map(({ source }) => source)
    .join('|'),
  'g',
)
const dropEndsOfNames: Step = (path) => path.replaceAll(END_OF_NAME, '')

const OTHER_NAMES = [dropScript, dropPathInfo, dropIndex, dropLastSlash, dropEndsOfNames]

/** Reads bytes, one to a character, as UTF-8; what is none is Latin-1 to servers that take it at all. */
function textOf(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString()
  return text.includes('\ufffd') ? bytes : text
}

/**
 * Returns what any order of the steps makes of these texts.
 *
 * @returns undefined for more than `most` readings, or too long ones.
 */
export function everyOrder(
  texts: readonly string[],
  steps: readonly Step[],
  most: number,
): string[] | undefined {
  const found = new Set(texts)
  const unread = [...found]
  let characters = 0
  for (let text = unread.shift(); text !== undefined; text = unread.shift()) {
    characters += text.length
    if (characters > MOST_CHARACTERS) return undefined
    for (const step of steps) {
      const reading = step(text)
      if (!found.has(reading)) unread.push(reading)
      found.add(reading)
    }
    if (found.size > most) return undefined
  }
  return [...found]
}

/** Returns a text as a program reads it that does not distinguish case. */
const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Texts that a path may have where a pattern is meant. */
interface Forms {
  /** The pattern as it is written, and decoded: a path is read in both ways. */
  readonly exact: readonly string[]
  /** The same without their case. */
  readonly folded: readonly string[]
}

/** Patterns come from the configuration, so there are few. */
const formsOfPattern = new Map<string, Forms>()

export function formsOf(pattern: string): Forms {
  const before = formsOfPattern.get(pattern)
  if (before) return before
  const decoded = Buffer.from(decode(Buffer.from(pattern).toString('latin1')), 'latin1').toString()
  const exact = [...new Set([pattern, decoded])]
  const forms = { exact, folded: [...new Set(exact.map(fold))] }
  formsOfPattern.set(pattern, forms)
  return forms
}

export interface Readings {
  /** The path as it came, and as any server may decode and resolve it. */
  readonly paths: readonly string[]
  /** The same, and further paths that may lead to the same page, all without their case. */
  readonly names: readonly string[]
}

/** A path that all servers read in one way: no escapes, no dots but within the last name. */
const ORDINARY = /^\/(?:(?:[\w-]+\/)*(?!index\.)[\w-]+(?:\.[\w-]+)*)?$/i

/**
 * @param written the path, or several that programs choose from, each byte a character.
 * @returns undefined where there are too many readings.
 */
export function readingsOf(written: readonly string[]): Readings | undefined {
  if (written.every((path) => ORDINARY.test(path)))
    return { paths: written, names: written.map((path) => path.toLowerCase()) }
  const paths = everyOrder(written, SPELLINGS, MOST_READINGS)
  const names = paths && everyOrder(paths, [...SPELLINGS, ...OTHER_NAMES], MOST_READINGS)
  if (!names) return undefined
  return {
    paths: [...new Set(paths.map(textOf))],
    names: [...new Set(names.map((name) => fold(textOf(name))))],
  }
}

/** Returns a name of a variable as PHP makes it: without blanks before, and with `_` for blanks and dots. */
const nameInPhp = (name: string): string =>
  name
    .replace(/^ +/, '')
    .replace(/[[\0].*/s, '')
    .replaceAll(/[ .]/g, '_')

/** @returns the names of a query's parameters as programs may read them, in lower case. */
export function parametersOf(query: string): readonly string[] | undefined {
  const written = query.split(/[&;?]/).map((each) => each.replace(/=.*/s, '').replaceAll('+', ' '))
  // No limit is needed: each decoding makes a name shorter, so the length of the request bounds them.
  const names = everyOrder(written, [decode], Infinity)
  return (
    names && [...new Set([...names, ...names.map(nameInPhp)].map((name) => name.toLowerCase()))]
  )
}
