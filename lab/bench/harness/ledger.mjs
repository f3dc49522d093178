import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ROOT } from '../../stand/machine.mjs'

const { redisLedger } = await import(join(ROOT, 'dist/store/redis-ledger.js'))
const { redisConnection } = await import(join(ROOT, 'dist/store/redis.js'))
export const random = { id: () => randomBytes(16).toString('base64url') }

/** The service's ledger over a Redis of its own. @param {string} keyPrefix */
export async function openLedger({ url }, keyPrefix) {
  const log = { info() {}, warn() {}, error() {} }
  const link = redisConnection({ url, keyPrefix }, { log })
  const ledger = redisLedger(link, { random, log })
  await new Promise((resolve) => link.onReady(resolve))
  await ledger.probe()
  return {
    ledger,
    /** Uses up a token that nobody else has. @param {number} keepUntil Unix seconds */
    consume(keepUntil) {
      const jti = random.id()
      const generation = ledger.generation(jti)
      const entry = { kind: 'response', jti, generation, attempt: random.id(), expiresAt: keepUntil - 660, keepUntil }
      return ledger.consume(entry)
    },
    async close() {
      await ledger.close()
      await link.close()
    },
  }
}
