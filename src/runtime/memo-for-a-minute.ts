import { memoize } from '../domain/memoize.ts'

/** Milliseconds; docs/operate/privacy.md promises it. */
const A_MINUTE = 60_000

/** Memoises as `memoize` does, for addresses: none of them stays in memory for longer than a minute. */
export function memoForAMinute<T>(read: (text: string) => T, most: number): (text: string) => T {
  return memoize(read, most, (forget) => setTimeout(forget, A_MINUTE).unref())
}
