import { createHash } from 'node:crypto'
import type { Path } from '../../schema/schema.ts'
import { type UnixSeconds, unixSeconds } from '../../domain/words.ts'
import { type Finding, wants } from '../finding.ts'

/**
 * The hash of the secret that this repository publishes for its demonstration (src/demo/credentials.ts).
 * Everybody knows it, so it may only protect what nobody but this machine can reach.
 */
export const DEMO_SECRET_SHA256 = '874de80daf9c86b159f64de9d93f070676a49dee7e189c2fe3d5e1c8e04ae13b'
export const LOCAL_HOSTNAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** SHA-256 of a secret, as the configuration keeps it. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex')

/** What people put in to have something there; a hash of it is found by anybody who tries. */
const WEAK_WORDS = `secret test password changeme admin root demo example default key token letmein
  12345 123456 1234567 12345678 123456789 1234567890 qwerty passw0rd hello welcome abc abc123 foo bar foobar xxx todo
  replace-me replaceme change-me change_me your-secret your_secret my-secret mysecret supersecret site-secret site_secret
  <site_secret> hv_secret hv_secret_ hv_secret_demo hv_secret_test null undefined 0 1 a`.split(/\s+/)

const capitalised = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
/** With the line end that `echo secret | sha256sum` hashes, too. */
const WEAK: ReadonlySet<string> = new Set(
  ['', ' ', ...WEAK_WORDS]
    .flatMap((word) => [word, word.toUpperCase(), capitalised(word)])
    .flatMap((word) => [word, `${word}\n`])
    .map(hashSecret),
)

const WISH = 'the SHA-256 of the secret, 64 lowercase hexadecimal digits'

/**
 * What is wrong with a `sha256`, looked at alone. Never prints it: what stands here by mistake is a secret.
 *
 * @param names public texts of the site (its sitekey, its hostnames), whose hash protects nothing either.
 */
export function sha256Finding(path: Path, text: string, names: readonly string[]): Finding | undefined {
  if (/hv_secret/i.test(text))
    return wants(path, WISH, text, 'this is the secret itself; hv site rotate makes a new one')
  if (/^[0-9a-f]{64}$/.test(text)) {
    if (WEAK.has(text) || /^(.)\1{63}$/.test(text) || names.map(hashSecret).includes(text)) {
      return { path, says: 'is the hash of a secret that is easily guessed: hv site rotate makes one with 256 bits' }
    }
    return undefined
  }
  if (/^[0-9a-fA-F]{64}$/.test(text)) return wants(path, WISH, text, 'lowercase')
  return wants(path, WISH, text)
}

/**
 * Reads an RFC 3339 time with its offset: `2027-01-01T00:00:00Z`, `2027-01-01T01:00:00.5+01:00`.
 * A part of a second is dropped, so that a secret never lives longer than it says.
 *
 * @returns undefined for anything else; a day that the month does not have, too.
 */
export function parseMoment(text: string): UnixSeconds | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // `Date` carries 30 February over into March; what comes back then differs from what went in.
  if (at.toISOString().slice(0, 19) !== text.slice(0, 19)) return undefined
  const [hours, minutes] = [Number(match[8] ?? 0), Number(match[9] ?? 0)]
  if (hours > 23 || minutes > 59) return undefined
  const offset = (hours * 60 + minutes) * 60 * (match[7] === '-' ? -1 : 1)
  return unixSeconds(at.getTime() / 1000 - offset)
}

/** A moment as the configuration writes it: `2027-01-01T00:00:00Z`. */
export const formatMoment = (at: UnixSeconds): string => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`
