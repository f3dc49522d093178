import type { Consumable, Ledger } from '../../src/domain/ports.ts'
import { seconds } from '../../src/domain/words.ts'
import type { Budgets } from '../../src/store/limits/budget-limiter.ts'
import type { RedisPlace } from '../../src/store/redis/redis-client.ts'
import { redisLedger } from '../../src/store/ledger/redis-ledger.ts'
import {
  type Patience,
  type RedisConnection,
  redisConnection,
} from '../../src/store/redis/redis-connection.ts'
import { closeLater } from './close-later.ts'
import { keepLog, newAttempt, random } from './ledger-contract.ts'

export type LedgerOnRedis = ReturnType<typeof openLedger>

/**
 * An instance of the service, as far as its ledger goes; it ends with the test.
 *
 * @param options.patient as `patient` says.
 */
export function openLedger(
  place: Partial<RedisPlace>,
  { partitions = 1, patient: isPatient = false } = {},
) {
  const log = keepLog()
  /** How often the ledger said that its generation moved. */
  const moves = { count: 0 }
  const connection = redisConnection({ keyPrefix: 'hv', ...place }, { log, partitions })
  const link = isPatient ? patient(connection) : connection
  const ledger = redisLedger(link, { random, log, onMove: () => moves.count++ })
  const opened = { link, ledger, log, moves, close: () => ledger.close().then(() => link.close()) }
  return closeLater(opened, (it) => it.close())
}

/** How many of these spent tokens are accepted again; a lost answer accepts nothing. */
export async function acceptedAgain(
  ledger: Ledger,
  tokens: readonly Consumable[],
): Promise<number> {
  const again = tokens.map((token) =>
    ledger.consume({ ...token, attempt: newAttempt() }).catch(() => 'fault'),
  )
  return (await Promise.all(again)).filter((outcome) => outcome === 'first').length
}

/** A connection whose calls may take ten seconds: for tests whose promise is not the time, on a machine that is busy. */
export function patient(link: RedisConnection): RedisConnection {
  const wait = (patience: Patience): Patience => ({ ...patience, budgetMs: 10_000 })
  const own: Pick<RedisConnection, 'ask' | 'script'> = {
    ask: (call, patience) => link.ask(call, wait(patience)),
    script(name, lua) {
      const run = link.script(name, lua)
      return (those, args, patience) => run(those, args, wait(patience))
    },
  }
  return Object.assign(Object.create(link) as RedisConnection, own)
}

/** The same budget for everything that the limiter counts. */
export function everyBudget(points: number, per: number): Budgets {
  const rate = { points, per: seconds(per) }
  return {
    challenge: rate,
    solve: rate,
    siteverify: rate,
    fallback: rate,
    junk: rate,
    ticket: rate,
    invalidSecret: rate,
  }
}
