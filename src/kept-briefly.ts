import { kept } from './domain/kept.ts'

/** Milliseconds; docs/privacy.md promises it. */
const A_MINUTE = 60_000

/** As `kept`, for addresses: none of them stays in memory for longer than a minute. */
export function keptBriefly<T>(read: (text: string) => T, most: number): (text: string) => T {
  return kept(read, most, (forget) => setTimeout(forget, A_MINUTE).unref())
}
