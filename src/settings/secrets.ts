import { hash } from 'node:crypto'
import { CODES } from '../domain/codes.ts'

/**
 * The hash of the secret that this repository publishes for its demonstration (src/demo/credentials.ts).
 * It is public, so it may only be used for sites that are reachable from this machine alone.
 */
export const DEMO_SECRET_SHA256 = '874de80daf9c86b159f64de9d93f070676a49dee7e189c2fe3d5e1c8e04ae13b'

/** Spells the secret of an outcome of `hv test-server`. */
export const testSecret = (outcome: string): string => `hv_secret_test_${outcome}`

/** Returns the SHA-256 of a secret, as in the configuration. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

/** Placeholders, whose hashes are easily guessed. */
const WEAK_WORDS = `secret test password changeme admin root demo example default key token letmein
  12345 123456 1234567 12345678 123456789 1234567890 qwerty passw0rd hello welcome abc abc123 foo bar foobar xxx todo
  replace-me replaceme change-me change_me your-secret your_secret my-secret mysecret supersecret site-secret site_secret
  <site_secret> hv_secret hv_secret_ hv_secret_demo hv_secret_test null undefined 0 1 a`.split(
  /\s+/,
)

const WEAK: ReadonlySet<string> = new Set(
  ['', ' ', ...WEAK_WORDS]
    .flatMap((word) => [word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)])
    // Also with the line break that `echo secret | sha256sum` includes.
    .flatMap((word) => [word, `${word}\n`])
    .concat(['accepted', 'slow', ...Object.keys(CODES)].map(testSecret))
    .map(hashSecret),
)

/** @param names public texts of the site (sitekey, hostnames), which are also easily guessed. */
export const isGuessable = (sha256: string, names: readonly string[]): boolean =>
  WEAK.has(sha256) || /^(.)\1{63}$/.test(sha256) || names.map(hashSecret).includes(sha256)
