import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createApp } from '../../dist/app.js'
import { loadConfig } from '../../dist/config/load.js'
import { siteDirectory } from '../../dist/config/sites.js'
import { Fault } from '../../dist/domain/codes.js'
import { loadAssets } from '../../dist/http/assets.js'
import { listen } from '../../dist/http/listen.js'
import { memoryLedger } from '../../dist/ledger/memory.js'
import { redisLink } from '../../dist/ledger/redis-link.js'
import { guesses } from '../../dist/limits/guesses.js'
import { memoryLimiter } from '../../dist/limits/limits.js'
import { jsonLog } from '../../dist/ops/log.js'
import { readiness } from '../../dist/ops/readiness.js'
import { keyring, readKeyringFile } from '../../dist/token/keyring.js'
import { DEFAULT_ISSUER, jwsTokens } from '../../dist/token/tokens.js'

// The whole built service with another ledger. `naive` is the control: what everybody else does, a plain SET NX that
// notices no loss. `small` is the product's own in-process ledger, with room for few entries. Test code only.
//
// Called as: control-instance.js naive|small CONFIG

const [, , kind, file] = process.argv
const config = loadConfig(file, process.env, process.cwd())
const log = jsonLog(config.logLevel, process.stdout)
const clock = { now: () => Math.floor(Date.now() / 1000) }
const random = { id: () => randomBytes(16).toString('base64url') }
const elapsed = () => performance.now()

const SET_NX = `return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0`

/** First or not: as the store says. */
function naive(isFirst) {
  return {
    async consume({ kind: of, jti, attempt, expiresAt, keepUntil }) {
      if (clock.now() >= expiresAt) return 'expired'
      const first = await isFirst(`${of}:${jti}`, attempt, (keepUntil - clock.now()) * 1000)
      return first ? 'ours' : 'taken'
    },
    generation: () => 'none',
    async probe() {},
    async close() {},
  }
}

function naiveRedis(link) {
  return naive(async (key, attempt, keepMs) => {
    const patience = { budgetMs: 600, retry: true }
    const answer = link.evaluate(SET_NX, [`${link.prefix}${key}`], [attempt, String(keepMs)], patience)
    return (
      (await answer.catch((cause) => {
        throw new Fault('database-unavailable', { cause })
      })) === 1
    )
  })
}

function naiveMemory() {
  const seen = new Set()
  return naive(async (key) => seen.size !== seen.add(key).size)
}

function ledgerOf() {
  if (kind === 'small') return memoryLedger({ random, clock: () => Date.now(), capacity: 100 })
  return config.redis ? naiveRedis(redisLink(config.redis, { log })) : naiveMemory()
}

const ledger = ledgerOf()
const app = createApp({
  sites: siteDirectory(config.sites),
  tokens: jwsTokens({ keyring: await keyring(readKeyringFile(config.keyring)), issuer: DEFAULT_ISSUER, clock }),
  ledger,
  limiter: memoryLimiter(config.limits),
  guesses: guesses(config.limits.invalidSecret, elapsed),
  clock,
  random,
  log,
  readiness: readiness(ledger),
  assets: await loadAssets(join(import.meta.dirname, '../../dist/assets')),
  trustedProxies: config.trustedProxies,
  publicUrl: config.publicUrl,
  elapsed,
})
const service = await listen(app, config.listen)
log.info('listening', { url: service.url })
