import { Fault } from '../../domain/codes.ts'
import type { Log } from '../../domain/observing.ts'
import type { Ledger, Random } from '../../domain/ports.ts'
import { ledgerAlarms } from './ledger-alarms.ts'
import { unavailable } from './ledger-fault.ts'
import { LedgerPartition } from './ledger-partition.ts'
import { partitionOf } from '../redis/partitions.ts'
import { RedisFailure } from '../redis/redis-failure.ts'
import type { RedisConnection } from '../redis/redis-connection.ts'

const POLL_EVERY_MS = 250

export interface RedisLedgerParts {
  readonly random: Random
  readonly log: Log
  /** Called each time a partition has begun a new generation. */
  readonly onMove?: (() => void) | undefined
}

/**
 * The ledger of several processes, over all partitions of the connection. A token's id determines its partition.
 * Closing it leaves the connection open.
 */
export function redisLedger(
  redis: RedisConnection,
  { random, log, onMove }: RedisLedgerParts,
): Ledger {
  const partitions = redis.prefixes.map(
    (prefix) => new LedgerPartition(redis, prefix, { random, onMove }),
  )
  const holding = (jti: string): LedgerPartition => partitions[partitionOf(jti, partitions.length)]!
  /** Why the last poll of each partition failed. */
  let faults: readonly (Fault | undefined)[] = []
  const alarms = ledgerAlarms(log)
  /** Returns the fullness of the fullest partition: any challenge may need room in it. */
  const fullness = (): number => Math.max(...partitions.map((partition) => partition.fullness()))
  /** Returns the difference of the partition that differs most, in seconds. */
  const clockAhead = (): number =>
    partitions.reduce(
      (most, each) => (Math.abs(each.aheadMs()) > Math.abs(most) ? each.aheadMs() : most),
      0,
    ) / 1000

  /** Polls in the background, and logs once what an operator must fix. */
  async function pollAll(): Promise<void> {
    const polls = await Promise.allSettled(partitions.map((partition) => partition.poll()))
    alarms.watchRoom(fullness())
    alarms.watchClock(clockAhead())
    faults = polls.map((each) => (each.status === 'rejected' ? faultFrom(each.reason) : undefined))
    if (faults.every((each) => each === undefined)) alarms.recovered()
    const outdated = faults.find((each) => each?.code === 'database-schema-outdated')
    const refused = faults.find(
      (each) => each?.cause instanceof RedisFailure && each.cause.code !== undefined,
    )
    const refusal = partitions.map((partition) => partition.refusal()).find(Boolean)
    const says = refusal ?? messageOf((outdated ?? refused)?.cause)
    if (says !== undefined) alarms.complain(outdated?.code ?? 'database-unavailable', says)
  }

  const distrust = (): void => partitions.forEach((partition) => partition.distrust())
  redis.onReady(() => {
    distrust()
    void pollAll()
  })
  redis.onRefused(distrust)
  const timer = setInterval(() => void pollAll(), POLL_EVERY_MS)
  timer.unref()
  void pollAll()

  return {
    consume: async (entry) => holding(entry.jti).consume(entry),
    generation: (jti) => holding(jti).generation(),
    beganAt: (jti) => holding(jti).beganAt(),
    fault() {
      const trouble = redis.trouble()
      if (trouble) return unavailable(trouble)
      const standing = partitions.map((partition, i) => faults[i] ?? faultOf(partition))
      return standing.includes(undefined) ? undefined : standing[0]
    },
    fullness,
    clockAhead,
    async probe() {
      await Promise.all(partitions.map((partition) => partition.poll()))
    },
    async close() {
      clearInterval(timer)
    },
  }
}

/** Returns why a partition cannot issue now; it throws nothing but faults. */
function faultOf(partition: LedgerPartition): Fault | undefined {
  try {
    partition.generation()
    return undefined
  } catch (error) {
    return error as Fault
  }
}

/** Any other error, a bug of ours, also means that the ledger is unavailable. */
const faultFrom = (error: unknown): Fault => (error instanceof Fault ? error : unavailable(error))

const messageOf = (error: unknown): string | undefined =>
  error instanceof Error ? error.message : undefined
