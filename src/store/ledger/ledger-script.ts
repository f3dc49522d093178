import { readFileSync } from 'node:fs'
import type { Consumable, Random } from '../../domain/ports.ts'
import type { Generation } from '../../domain/words.ts'
import type { Patience, RedisConnection, Script } from '../redis/redis-connection.ts'
import { ignoreFailure } from '../redis/redis-failure.ts'
import { BUCKET_MS, bucketKey, bucketNumber } from './buckets.ts'

const readLedger = (): string => readFileSync(new URL('ledger.lua', import.meta.url), 'utf8')

const CONSUME: Patience = { budgetMs: 500, retry: true }

/**
 * What an instance remembers of a generation. The script is told it with every call, so that an older copy of the ledger under
 * the same identity, such as of a virtual machine that was set back, is found out.
 */
export interface Memory {
  readonly generation: Generation
  /** The highest serial that was answered: the number of entries that had been written. */
  readonly serial: number
}

/** What every call answers. */
export interface Answer {
  readonly word: string
  /** The generation in force; undefined if the schema differs from ours. */
  readonly generation: Generation | undefined
  /** The number of entries that were written in the generation. */
  readonly serial: number
  /** A schema that differs from ours. */
  readonly otherSchema: string | undefined
}

export interface PollAnswer extends Answer {
  /** When the generation began, in Unix milliseconds of the server; undefined if that is lost. */
  readonly beganMs: number | undefined
  /** Share of maxmemory in use, 0 to 1; 0 if there is no limit or the server does not report it. */
  readonly fullness: number
  /** maxmemory-policy, or ''. */
  readonly policy: string
  /** Unix milliseconds of the server. */
  readonly nowMs: number
  /** Why the server is too full to write, or ''. */
  readonly full: string
  /** Keys of buckets to remove. */
  readonly buckets: readonly string[]
}

/** The calls of ledger.lua for one partition. Each throws a `RedisFailure` if no answer comes in time. */
export class LedgerScript {
  readonly #prefix: string
  readonly #hash: string
  readonly #random: Random
  readonly #poll: Script
  readonly #consume: Script
  readonly #remove: Script

  /** @param prefix of the keys: `{hv}:`. @param hash the key of the generation. */
  constructor(redis: RedisConnection, prefix: string, hash: string, random: Random) {
    this.#prefix = prefix
    this.#hash = hash
    this.#random = random
    this.#poll = redis.script('hvPoll', readLedger())
    this.#consume = redis.script('hvConsume', readLedger())
    this.#remove = redis.script('hvRemove', readLedger())
  }

  /** Uses up a token, with a retry after a lost reply. */
  async consume(entry: Consumable, memory: Memory | undefined): Promise<Answer> {
    const { attempt, generation, expiresAt, jti, keepUntil } = entry
    const bucketEnd = bucketNumber(keepUntil) * BUCKET_MS
    const token = [attempt, generation, String(expiresAt * 1000), jti, String(bucketEnd)]
    const keys = [this.#hash, bucketKey(this.#prefix, entry)]
    const args = ['consume', this.#random.id(), ...spell(memory), ...token]
    return readAnswer((await this.#consume(keys, args, CONSUME)) as string[])
  }

  /** @param maintains whether to try a write, and to list buckets that can be removed. */
  async poll(
    memory: Memory | undefined,
    maintains: boolean,
    patience: Patience,
  ): Promise<PollAnswer> {
    const args = ['poll', this.#random.id(), ...spell(memory), maintains ? 'maintain' : '']
    const parts = (await this.#poll([this.#hash], args, patience)) as string[]
    const [, , , beganMs, thousandths, policy = '', nowMs, full = '', ...buckets] = parts
    return {
      ...readAnswer(parts),
      beganMs: beganMs ? Number(beganMs) : undefined,
      fullness: Number(thousandths) / 1000,
      policy,
      nowMs: Number(nowMs),
      full,
      buckets,
    }
  }

  /** Removes buckets. A failure is harmless: the next poll finds them again. */
  async remove(buckets: readonly string[], patience: Patience): Promise<void> {
    await this.#remove([this.#hash, ...buckets], ['remove', ''], patience).catch(ignoreFailure)
  }
}

const spell = (memory: Memory | undefined): string[] =>
  memory === undefined ? ['', ''] : [memory.generation, String(memory.serial)]

function readAnswer([word = '', value = '', serial = '']: readonly string[]): Answer {
  const isOther = word === 'schema'
  return {
    word,
    generation: isOther ? undefined : (value as Generation),
    serial: Number(serial),
    otherSchema: isOther ? value : undefined,
  }
}
