import { Fault } from '../../../../dist/domain/codes.js'

// The control: what everybody else does, a plain SET NX that notices no loss.

const SET_NX = `return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0`
const PATIENCE = { budgetMs: 400, retry: true }

/** @param isFirst asks the store, and believes it. */
function naive(isFirst) {
  return {
    async consume({ kind, jti, attempt, expiresAt, keepUntil }) {
      if (Date.now() >= expiresAt * 1000) return 'expired'
      return (await isFirst(jti, `${kind}:${jti}`, attempt, keepUntil * 1000 - Date.now()))
        ? 'first'
        : 'taken'
    },
    generation: () => 'always-the-same-always',
    fault: () => undefined,
    fullness: () => 0,
    async probe() {},
    async close() {},
  }
}

export function redisLedger(link) {
  const setNx = link.script('naive', SET_NX)
  return naive(async (jti, key, attempt, keepMs) => {
    try {
      return (
        (await setNx([`${link.prefixFor(jti)}${key}`], [attempt, String(keepMs)], PATIENCE)) === 1
      )
    } catch (cause) {
      throw new Fault('database-unavailable', { cause })
    }
  })
}

export function memoryLedger() {
  const seen = new Set()
  return naive(async (_jti, key) => seen.size !== seen.add(key).size)
}
