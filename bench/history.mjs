/**
 * What history costs, and what it does to a farm. Wants `npm run build` and redis-server.
 *
 *   node bench/history.mjs
 *
 * 1. The limiter alone, and the limiter with history in one breath: milliseconds of a round trip, in turns.
 * 2. One address that solves 500 challenges within ten minutes and replays one recording: level, units and score over time.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { unitsAtLevel } from '../dist/domain/challenge.js'
import { levelOf } from '../dist/work/difficulty.js'
import { scoreVisit } from '../dist/score/score.js'
import { history } from '../dist/history/history.js'
import { memoryCounters } from '../dist/history/memory.js'
import { redisCounters } from '../dist/history/redis.js'
import { redisConnection } from '../dist/store/redis.js'
import { redisLimiter } from '../dist/store/limits.js'

const log = { info() {}, warn: (message, fields) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`) }
const say = (text) => process.stdout.write(`${text}\n`)
const mark = () => randomBytes(16).toString('base64url')
const START = 1_800_000_000
const clock = { now: () => START }

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = server.address()
    server.close(() => resolve(free))
  })
})
const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' })
const link = redisConnection({ url: `redis://127.0.0.1:${port}/0`, keyPrefix: 'hv' }, { log })
while (link.client.status !== 'ready') await sleep(50)

const budget = { points: 1e9, per: 60 }
const budgets = ['challenge', 'ticket', 'solve', 'siteverify', 'fallback', 'junk'].map((name) => [name, budget])
const limiter = redisLimiter(link, Object.fromEntries(budgets))
const shared = history(redisCounters(link), { clock, log })
const WAYS = {
  'limiter alone': (who) => limiter.take('challenge', who),
  'limiter and history': (who) => Promise.all([shared.challenged(who, START), limiter.take('challenge', who)]),
}
const taken = Object.fromEntries(Object.keys(WAYS).map((name) => [name, []]))
for (let i = 0; i < 3000; i++) {
  for (const [name, ask] of Object.entries(WAYS)) {
    const who = mark()
    const from = performance.now()
    await ask(who)
    if (i >= 500) taken[name].push(performance.now() - from)
  }
}
say('one at a time, ms:        p50    p95')
for (const [name, all] of Object.entries(taken)) {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(3)
  say(`  ${name.padEnd(22)} ${at(0.5)}  ${at(0.95)}`)
}
await shared.close()
await link.close()
redis.kill()

const farm = history(memoryCounters(), { clock, log })
const [who, behaviour] = [mark(), { exact: 'recorded', alike: [] }]
const place = { sitekey: 'hv_site_bench000', action: undefined }
const signals = {
  input: { trusted: 60, moves: 40, coalesced: 31, presses: 3, keys: 24, keyHold: 85 },
  page: { visible: 1, focused: 1, firstTouch: 1800, filling: 9400 },
}
const request = {
  trustworthy: false,
  userAgent: 'Mozilla/5.0 Chrome/156',
  acceptLanguage: 'en',
  acceptEncoding: 'gzip',
}
const work = { level: 3, maxLevel: 6, humanCost: 60 }
say('\nsolve   level  units   score: replayed  recorded anew')
for (let solve = 1; solve <= 500; solve++) {
  const now = START + solve
  const near = await farm.challenged(who, now)
  const level = levelOf(work, near, farm.load(place, now))
  const known = await farm.solved(who, { jti: mark(), place, behaviour, unfinished: 0 }, now)
  const score = (again) =>
    scoreVisit({ signals, request, units: unitsAtLevel(level), history: { ...known, again, suspected: 0 } }).score
  if (![1, 5, 8, 10, 20, 40, 80, 160, 320, 500].includes(solve)) continue
  const columns = [String(solve).padEnd(7), level.toFixed(2), String(unitsAtLevel(level)).padEnd(7)]
  say(`${columns.join(' ')} ${score(known.again).toFixed(2).padStart(15)} ${score(0).toFixed(2).padStart(14)}`)
}
say('\nand then, with no more solves:')
for (const after of [0, 300, 600, 900, 1200]) {
  const now = START + 500 + after
  const level = levelOf(work, await farm.challenged(who, now), farm.load(place, now))
  say(`  ${String(after).padStart(4)} s later: level ${level.toFixed(2)}`)
}
await farm.close()
