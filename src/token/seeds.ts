import { memoize } from '../domain/memoize.ts'
import { hmac } from './hmac.ts'
import { perKey } from './per-key.ts'

/** Some 200 bytes each. */
const MOST_SEEDS = 10_000

/** Seeds of behaviour by sitekey. That of a site under a key never changes, and takes 4 µs. */
export const seedsOf = perKey((key) =>
  memoize((sitekey) => {
    const bytes = hmac(sitekey, key.behaviour)
    return Int32Array.from({ length: 8 }, (_, i) => bytes.readInt32LE(i * 4))
  }, MOST_SEEDS),
)
