import { readFileSync } from 'node:fs'
import { ourCalls, ourSolve } from './our-visit.mjs'
import { startMeasured } from './servers.mjs'
import { GENERATION, generationOf } from './tokens.mjs'

/**
 * Returns what makes the requests of a new process. The first one's are kept, with the work in them, and the others get the
 * same ones: with the same keys, and a Redis that has not seen them, they are as new to these as to the first.
 */
export function solvedOnce(solve) {
  const kept = []
  return () => {
    let nth = 0
    return (answers) => {
      const index = nth++
      kept[index] ??= solve(answers)
      return kept[index]
    }
  }
}

/**
 * Returns what starts the service on Redis, each time with an empty database, the same keys and the same generation of its
 * ledger, and the calls of its visits, which are solved for the first process alone.
 *
 * @param {{ url: string, client: import('ioredis').Redis }} redis a database for this service alone
 * @param {object} policy settings of the site
 * @param {string} [root] the checkout whose build it is
 */
export function startedAgain(redis, policy, root) {
  const solves = solvedOnce(ourSolve)
  let keys
  let generation
  return async () => {
    await redis.client.flushdb()
    if (generation) await redis.client.hset(GENERATION, generation)
    const service = await startMeasured(redis, policy, { keys, root })
    keys ??= readFileSync(service.keyring, 'utf8')
    await generationOf(redis)
    generation ??= await redis.client.hgetall(GENERATION)
    return { ...service, calls: ourCalls(service.secret, solves()) }
  }
}
