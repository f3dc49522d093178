import type { Log } from '../domain/observing.ts'
import type { LastHour } from './last-hour.ts'

/** What is answered to a challenge or token that this process never issued, or that is over. */
const STRANGE =
  /^(solve (challenge-expired|invalid-input-challenge)|siteverify (timeout-or-duplicate|invalid-input-response))$/
const KNOWN = /^(solve solved|siteverify (accepted|low-score))$/
/** In two minutes; fewer say nothing. */
const LEAST = 20
const LOOK_MS = 15_000

/**
 * Logs, at most once an hour, that a third or more of the visitors bring what this process does not know. From inside, nothing
 * else shows that processes behind one address do not share ledger and keyring: each of them is healthy.
 */
export function watchStrangers({ minutes }: Pick<LastHour, 'minutes'>, log: Log) {
  let silentUntil = -Infinity
  function look(): void {
    const recent = minutes().slice(-2)
    const count = (which: RegExp): number =>
      recent
        .flatMap(({ counts }) => [...counts])
        .reduce((sum, [key, n]) => (which.test(key) ? sum + n : sum), 0)
    const [strange, from] = [count(STRANGE), recent.at(-1)!.from]
    if (strange < LEAST || strange * 2 < count(KNOWN) || from < silentUntil) return
    silentUntil = from + 3600
    log.warn('many visitors bring challenges or tokens that this process does not know', {
      detail: `${strange} in two minutes`,
      hint: 'expected for minutes after a restart; otherwise name one redis and one keyring for all processes behind the address (hv doctor --url)',
    })
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return { look, stop: () => clearInterval(timer) }
}
