/** Problems of a configuration: where, what was expected and what was found, but never a secret's value. */
import leven from 'leven'

/** Where a value is, from the top: `['sites', 2, 'score_threshold']`. */
export type Path = readonly (string | number)[]

/** A problem at a place in the settings; the place in the file is added later. */
export interface Finding {
  readonly path: Path
  readonly says: string
  /** An earlier place with the same value; the message then begins with `is the same as …`. */
  readonly sameAs?: Path
  /** Whether to point at the name rather than the value. */
  readonly atKey?: boolean
}

/** A problem of the configuration, as reported. */
export interface Problem {
  /** The file, if the configuration is a folder. */
  readonly file?: string
  /** Line and column, from 1; undefined for environment variables. */
  readonly line?: number
  readonly column?: number
  /** `sites[2].score_threshold`, or the environment variable's name. */
  readonly where: string
  /** `expected a number from 0 to 1, got 50 (did you mean 0.5?)` */
  readonly says: string
}

/** The configuration cannot be used. Contains every problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly file: string
  readonly problems: readonly Problem[]

  constructor(file: string, problems: readonly Problem[]) {
    super(`${file}: ${count(problems)}`)
    this.file = file
    this.problems = problems
  }
}

const count = ({ length }: readonly unknown[]): string =>
  `${length} ${length === 1 ? 'error' : 'errors'}`

/**
 * Formats each problem on its own line, columns aligned:
 *
 *     config/config.yaml: 2 errors, nothing was started
 *       12:19  sites[0].token_lifetime   expected 30s to 600s, got "2h"
 *       31:22  sites[2].score_threshold  expected a number from 0 to 1, got 50 (did you mean 0.5?)
 *
 * @param consequence of the problems, for the first line.
 * @returns lines without a final line end.
 */
export function formatReport(
  { file, problems }: ConfigError,
  consequence = 'nothing was started',
): string {
  const places = problems.map(place)
  const placeWidth = Math.max(0, ...places.map((text) => text.length))
  // A very long name must not push the other problems off the screen.
  const nameWidth = Math.min(48, Math.max(0, ...problems.map(({ where }) => where.length)))
  const lines = problems.map(({ where, says }, index) => {
    const at = placeWidth === 0 ? '' : `${places[index]!.padEnd(placeWidth)}  `
    return `  ${at}${where.padEnd(nameWidth)}  ${says}`
  })
  return [`${file}: ${count(problems)}, ${consequence}`, ...lines].join('\n')
}

/** Returns the place in the form that terminals and editors recognise: `config/sites/shop.yaml:12:19`. */
const place = ({ file, line, column }: Problem): string =>
  [file, line === undefined ? '' : `${line}:${column ?? 1}`].filter(Boolean).join(':')

/**
 * Returns the finding of a wrong value.
 *
 * @param hint may be the corrected value; not shown if the value may be a secret.
 */
export function unexpected(path: Path, expected: string, got: unknown, hint?: string): Finding {
  const mayTell =
    hint !== undefined && !(typeof got === 'string' && looksSecret(got) && looksSecret(hint))
  return {
    path,
    says: `expected ${expected}, got ${show(got, path)}${mayTell ? ` (${hint})` : ''}`,
  }
}

/** Returns a path as in problems: `sites[2].score_threshold`; the top is `file`. Different paths give different texts. */
export function formatPath(path: Path): string {
  if (path.length === 0) return 'file'
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      // Names of settings are not quoted; other names from the file are.
      if (!/^[a-z][a-z0-9_]{0,39}$/.test(step)) return `[${quoted(step)}]`
      return index === 0 ? step : `.${step}`
    })
    .join('')
}

/** Places whose values are never printed: secrets, and urls that may contain a password. */
const SECRET_PLACES = new Set<string | number>([
  'secret',
  'secrets',
  'sha256',
  'password',
  'redis',
  'keys',
  'k',
  'd',
])
/** Members of those places that are not secret. */
const HARMLESS = new Set<string | number>([
  'not_after',
  'key_prefix',
  'cluster',
  'sentinel',
  'tls',
  'ca',
])

/**
 * Reports whether a text may be a secret: it has our prefix, a character before an @, or 20 or more characters of the usual
 * alphabets of keys without a dot or space (hostnames and sentences have them).
 */
function looksSecret(text: string): boolean {
  if (/^hv_site_[A-Za-z0-9_-]{1,64}$/.test(text)) return false
  return /hv_secret/i.test(text) || /\S@\S/.test(text) || /[A-Za-z0-9+/=_~$-]{20,}/.test(text)
}

/** Describes a value: short, on one line, and never a secret. */
function show(value: unknown, path: Path): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list'
  const isSecret =
    path.some((step) => SECRET_PLACES.has(step)) && !path.some((step) => HARMLESS.has(step))
  if (typeof value === 'string') return isSecret ? unshown(value) : quoted(value)
  if (isSecret) return `a ${typeof value === 'number' ? 'number' : 'group of settings'} (not shown)`
  return typeof value === 'number' ? String(value) : 'a group of settings'
}

export const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const unshown = (text: string): string => `text of ${text.length} characters (not shown)`

/** Returns a text of the file in quotes, cut at 60 characters. */
const quoted = (text: string): string =>
  looksSecret(text)
    ? unshown(text)
    : JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)

/**
 * Returns ` (did you mean retries?)` if one of these names differs by at most two letters (one for a short name), ignoring case,
 * `-`, `_` and the plural, or if its last word does (`threshold` for `score_threshold`).
 */
export function didYouMean(name: string, names: readonly string[], otherwise = ''): string {
  const most = name.length < 5 ? 1 : 2
  const near = names
    .flatMap((each) => [
      { each, distance: distance(plain(name), plain(each)) },
      { each, distance: distance(plain(name), plain(each.slice(each.lastIndexOf('_') + 1))) + 0.5 },
    ])
    .sort((a, b) => a.distance - b.distance)[0]
  return near !== undefined && near.distance <= most + 0.5
    ? ` (did you mean ${near.each}?)`
    : otherwise
}

const plain = (text: string): string =>
  text.toLowerCase().replaceAll(/[-_]/g, '').replace(/ies$/, 'y').replace(/s$/, '')

/** Returns the Levenshtein distance; Infinity if the lengths differ by more than two, since a hostile file has long names. */
const distance = (a: string, b: string): number =>
  Math.abs(a.length - b.length) > 2 ? Infinity : leven(a, b)
