import type { Log } from '../domain/observing.ts'
import type { LastHour } from './last-hour.ts'

type Codes = Readonly<Record<string, readonly string[]>>

/** What each operation answers to a challenge or token that this process never issued, or that has expired. */
const UNKNOWN: Codes = {
  solve: ['challenge-expired', 'invalid-input-challenge'],
  siteverify: ['timeout-or-duplicate', 'invalid-input-response'],
}
/** What it answers to those that this process, or one that shares its keyring and ledger, has issued. */
const KNOWN: Codes = { solve: ['solved'], siteverify: ['accepted', 'low-score'] }
/** Unknown ones in two minutes; fewer say nothing. */
const LEAST = 20
/** Milliseconds between two looks. */
const LOOK_MS = 15_000
/** Seconds between two lines of the log. */
const LOG_EVERY = 3600

/**
 * Logs, at most once an hour, that a third or more of the visitors bring what this process does not know. From inside, nothing
 * else shows that processes behind one address do not share ledger and keyring: each of them is healthy.
 */
export function watchUnknownTokens({ minutes }: Pick<LastHour, 'minutes'>, log: Log) {
  let silentUntil = -Infinity

  function count(codes: Codes): number {
    const recent = minutes().slice(-2)
    return Object.entries(codes)
      .flatMap(([operation, names]) =>
        names.flatMap((name) => recent.map(({ requests }) => requests.get(operation)?.count(name))),
      )
      .reduce<number>((sum, n) => sum + (n ?? 0), 0)
  }

  function look(): void {
    const now = minutes().at(-1)!.from
    const unknown = count(UNKNOWN)
    if (unknown < LEAST || unknown * 2 < count(KNOWN) || now < silentUntil) return
    silentUntil = now + LOG_EVERY
    log.warn('many visitors bring challenges or tokens that this process does not know', {
      detail: `${unknown} in two minutes`,
      hint: 'expected for minutes after a restart; otherwise name one redis and one keyring for all processes behind the address (hv doctor --url)',
    })
  }

  const timer = setInterval(look, LOOK_MS).unref()
  return { look, stop: () => clearInterval(timer) }
}
