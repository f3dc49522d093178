import type { Path } from '../schema/schema.ts'

/** Places whose values are never printed, whatever they look like: secrets, and addresses with a password inside. */
const SECRET_PLACES: ReadonlySet<string | number> = new Set([
  'secret',
  'secrets',
  'sha256',
  'password',
  'redis',
  'keys',
  'k',
])
/** Members of those places that say when or where, not what. */
const HARMLESS: ReadonlySet<string | number> = new Set(['not_after', 'key_prefix', 'cluster', 'sentinel', 'tls', 'ca'])

/**
 * Whether a text may be a secret: ours by its prefix, something before an @, or 20 and more characters
 * of an alphabet that keys are written in, without a dot or a space (hostnames and sentences have one).
 */
export function looksSecret(text: string): boolean {
  if (/^hv_site_[A-Za-z0-9_-]{1,64}$/.test(text)) return false
  return /hv_secret/i.test(text) || /\S@\S/.test(text) || /[A-Za-z0-9+/=_~$-]{20,}/.test(text)
}

/**
 * What was found, for a problem's `got …`: short, on one line, harmless for a terminal, and never a secret.
 *
 * @param path where it was found.
 */
export function show(value: unknown, path: Path): string {
  if (Array.isArray(value) && value.length === 0) return '[]'
  if (path.some(isSecretPlace) && !path.some(isHarmless) && isFull(value)) return `${kind(value)} (not shown)`
  if (typeof value === 'string') return isWord(value) ? value : printable(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : `${value} (not a finite number)`
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'boolean') return String(value)
  return kind(value)
}

/** What can stand without quotes and still not be taken for a number, `true` or `null`. */
const isWord = (text: string): boolean =>
  /^[a-z0-9][a-z0-9./-]{0,39}$/i.test(text) &&
  /[a-z]/i.test(text) &&
  !looksSecret(text) &&
  Number.isNaN(Number(text)) &&
  !/^(?:true|false|null)$/i.test(text)
const isSecretPlace = (step: string | number): boolean => SECRET_PLACES.has(step)
const isHarmless = (step: string | number): boolean => HARMLESS.has(step)
const isFull = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || (typeof value === 'object' && value !== null)

function kind(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a group of settings'
  return typeof value === 'string' ? `text of ${value.length} characters` : `a ${typeof value}`
}

/** A text of the file in quotes: cut at 60 characters, without control or direction characters, never a secret. */
export function printable(text: string): string {
  if (looksSecret(text)) return `text of ${text.length} characters (not shown)`
  const short = text.length > 60 ? `${text.slice(0, 59)}…` : text
  return JSON.stringify(short).replaceAll(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
