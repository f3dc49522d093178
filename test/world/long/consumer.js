/** A process of its own that consumes the same tokens as its siblings, with the ledger that is shipped. */
import { randomBytes } from 'node:crypto'
import { redisLedger } from '../../../dist/store/redis-ledger.js'
import { redisConnection } from '../../../dist/store/redis.js'

const log = { info() {}, warn() {}, error() {} }
const random = { id: () => randomBytes(16).toString('base64url') }
/** Tokens that are under way at once. */
const AT_ONCE = 10

process.once('message', (work) => void run(work))

async function run({ url, jtis, times, expiresAt }) {
  const place = { url, cluster: undefined, sentinel: undefined, keyPrefix: 'hv' }
  const link = redisConnection(place, { log })
  const ledger = redisLedger(link, { random, log })
  while (ledger.fault() !== undefined) await new Promise((resolve) => setTimeout(resolve, 20))

  const outcomes = { ours: [], others: {} }
  const consume = async (i) => {
    const jti = jtis[i]
    const entry = { kind: 'response', jti, generation: ledger.generation(jti), expiresAt, keepUntil: expiresAt + 60 }
    const outcome = await ledger
      .consume({ ...entry, attempt: random.id() })
      .catch((fault) => fault.code ?? String(fault))
    if (outcome === 'ours') outcomes.ours.push(i)
    else outcomes.others[outcome] = (outcomes.others[outcome] ?? 0) + 1
  }
  for (let from = 0; from < jtis.length; from += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, jtis.length - from) }, (_, k) => from + k)
    await Promise.all(batch.flatMap((i) => Array.from({ length: times }, () => consume(i))))
  }
  await ledger.close()
  await link.close()
  process.send(outcomes, () => process.disconnect())
}
