/** What is wrong with a configuration, in words that teach: where, what was expected, what was found. Never a secret's value. */

/** Where a value is, from the top: `['sites', 2, 'score_threshold']`. */
export type Path = readonly (string | number)[]

/** Something wrong, by its place in the settings; its place in the file comes later. */
export interface Finding {
  readonly path: Path
  readonly says: string
  /** An earlier place; `is the same as …` is said in front, with its file where there are several. */
  readonly sameAs?: Path
  /** Whether to point at the name rather than the value: for names that are unknown, or repeated. */
  readonly atKey?: boolean
}

/** One thing wrong with the configuration, as it is reported. */
export interface Problem {
  /** Where the configuration is a folder: the file in it. */
  readonly file?: string
  /** Lines and columns from 1; left out for what an environment variable set. */
  readonly line?: number
  readonly column?: number
  /** `sites[2].score_threshold`, or the environment variable's name. */
  readonly where: string
  /** `expected a number from 0 to 1, got 50 (did you mean 0.5?)` */
  readonly says: string
}

/** The configuration cannot be used. Holds every problem at once. */
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

const count = ({ length }: readonly unknown[]): string => `${length} ${length === 1 ? 'error' : 'errors'}`

/**
 * Formats each problem on its own line, columns aligned:
 *
 *     config/config.yaml: 2 errors, nothing was started
 *       12:19  sites[0].token_lifetime   expected 30s to 600s, got "2h"
 *       31:22  sites[2].score_threshold  expected a number from 0 to 1, got 50 (did you mean 0.5?)
 *
 * @param consequence what did not happen because of it.
 * @returns lines without a final line end.
 */
export function formatReport({ file, problems }: ConfigError, consequence = 'nothing was started'): string {
  const places = problems.map(place)
  const placeWidth = Math.max(0, ...places.map((text) => text.length))
  // One very long name must not push every other problem off the screen.
  const nameWidth = Math.min(48, Math.max(0, ...problems.map(({ where }) => where.length)))
  const lines = problems.map(({ where, says }, index) => {
    const at = placeWidth === 0 ? '' : `${places[index]!.padEnd(placeWidth)}  `
    return `  ${at}${where.padEnd(nameWidth)}  ${says}`
  })
  return [`${file}: ${count(problems)}, ${consequence}`, ...lines].join('\n')
}

/** As terminals and editors recognise it: `config/sites/shop.yaml:12:19`. */
const place = ({ file, line, column }: Problem): string =>
  [file, line === undefined ? '' : `${line}:${column ?? 1}`].filter(Boolean).join(':')

/**
 * Returns the finding of a wrong value, in its one form.
 *
 * @param hint may spell the value as it should be; left out where the value may be a secret.
 */
export function unexpected(path: Path, expected: string, got: unknown, hint?: string): Finding {
  const mayTell = hint !== undefined && !(typeof got === 'string' && looksSecret(got) && looksSecret(hint))
  return { path, says: `expected ${expected}, got ${show(got, path)}${mayTell ? ` (${hint})` : ''}` }
}

/** Returns the place as problems name it: `sites[2].score_threshold`; the top is `file`. Two places never share a name. */
export function formatPath(path: Path): string {
  if (path.length === 0) return 'file'
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      // Names of settings stand bare; anything else came out of the file and is quoted.
      if (!/^[a-z][a-z0-9_]{0,39}$/.test(step)) return `[${quoted(step)}]`
      return index === 0 ? step : `.${step}`
    })
    .join('')
}

/** Places whose values are never printed: secrets, and addresses with a password inside. */
const SECRET_PLACES = new Set<string | number>(['secret', 'secrets', 'sha256', 'password', 'redis', 'keys', 'k', 'd'])
/** Members of those places that say when or where, not what. */
const HARMLESS = new Set<string | number>(['not_after', 'key_prefix', 'cluster', 'sentinel', 'tls', 'ca'])

/**
 * Reports whether a text may be a secret: ours by its prefix, something before an @, or 20 and more characters of an
 * alphabet that keys are written in, without a dot or a space (hostnames and sentences have one).
 */
function looksSecret(text: string): boolean {
  if (/^hv_site_[A-Za-z0-9_-]{1,64}$/.test(text)) return false
  return /hv_secret/i.test(text) || /\S@\S/.test(text) || /[A-Za-z0-9+/=_~$-]{20,}/.test(text)
}

/** Returns what was found: short, on one line, and never a secret. */
function show(value: unknown, path: Path): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'a list'
  const isSecret = path.some((step) => SECRET_PLACES.has(step)) && !path.some((step) => HARMLESS.has(step))
  if (typeof value === 'string') return isSecret ? unshown(value) : quoted(value)
  if (isSecret) return `a ${typeof value === 'number' ? 'number' : 'group of settings'} (not shown)`
  return typeof value === 'number' ? String(value) : 'a group of settings'
}

export const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const unshown = (text: string): string => `text of ${text.length} characters (not shown)`

/** Returns a text of the file in quotes, cut at 60 characters. */
const quoted = (text: string): string =>
  looksSecret(text) ? unshown(text) : JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)

/**
 * Returns ` (did you mean retries?)`, where one of these names is at most two letters away (one for a short name), but for
 * case, `-`, `_` and the plural; its last word alone (`threshold` for `score_threshold`) if the whole is not.
 */
export function didYouMean(name: string, names: readonly string[], otherwise = ''): string {
  const most = name.length < 5 ? 1 : 2
  const near = names
    .flatMap((each) => [
      { each, distance: distance(plain(name), plain(each)) },
      { each, distance: distance(plain(name), plain(each.slice(each.lastIndexOf('_') + 1))) + 0.5 },
    ])
    .sort((a, b) => a.distance - b.distance)[0]
  return near !== undefined && near.distance <= most + 0.5 ? ` (did you mean ${near.each}?)` : otherwise
}

const plain = (text: string): string =>
  text.toLowerCase().replaceAll(/[-_]/g, '').replace(/ies$/, 'y').replace(/s$/, '')

/** Levenshtein distance; Infinity at once when the lengths differ by more than two, since a hostile file has long names. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (a[i] === b[j] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
