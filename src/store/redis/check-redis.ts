import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Cluster, type Redis } from 'ioredis'
import { ignoreFailure, RedisFailure } from './redis-failure.ts'
import type { RedisConnection, Script } from './redis-connection.ts'

const readCheck = (): string => readFileSync(new URL('check.lua', import.meta.url), 'utf8')
const CHECK_MS = 1000

/**
 * Checks at start whether Redis is fit for the ledger: the server of each partition, and in a Cluster every node that answers,
 * since a slot may move to it.
 *
 * @returns a sentence for the operator; undefined if it is fit or unreachable (the service then starts, answers 503, and
 *   checks again on each new connection).
 */
export async function checkRedis(redis: RedisConnection): Promise<string | undefined> {
  const readRefusal = refusalReader(redis)
  // Twice: ioredis sends the first call of a script with EVAL and the others with EVALSHA, and the user must be allowed both.
  const read = async (prefix: string): Promise<string | undefined> =>
    (await readRefusal(prefix, CHECK_MS)) ?? readRefusal(prefix, CHECK_MS)
  // Outages are left to the poll.
  const refusals = await Promise.all(
    redis.prefixes.map((prefix) => read(prefix).catch(ignoreFailure)),
  )
  const refusal = refusals.find((sentence) => sentence !== undefined)
  if (refusal !== undefined) return refusal
  return redis.client instanceof Cluster
    ? checkNodes(redis, redis.client)
    : checkDatabase(redis, redis.client)
}

async function checkNodes(redis: RedisConnection, cluster: Cluster): Promise<string | undefined> {
  const check = readCheck()
  const nodes = (await nodesOf(cluster)).map(async (node) => {
    const answer = redis
      .ask(() => node.eval(check, 0), { budgetMs: CHECK_MS, retry: false })
      .catch(ignoreFailure)
    const sentence = (await refusalToRoute(node)) ?? refusalOf(await answer)
    return sentence && `${node.options.host}:${node.options.port}: ${sentence}`
  })
  return (await Promise.all(nodes)).find((sentence) => sentence !== undefined)
}

/** Returns the nodes that the client knows: the configured ones while it connects, none while it waits to reconnect. */
async function nodesOf(cluster: Cluster): Promise<readonly Redis[]> {
  const nodes = cluster.nodes('all')
  if (nodes.length > 0) return nodes
  const signal = AbortSignal.timeout(CHECK_MS)
  return (await once(cluster, '+node', { signal }).catch(() => [])) as Redis[]
}

/**
 * Sends the commands by which the client finds the other nodes, on a separate connection: the client hides a refusal and retries
 * forever.
 */
async function refusalToRoute(node: Redis): Promise<string | undefined> {
  const own = node.duplicate({
    enableReadyCheck: false,
    enableOfflineQueue: true,
    retryStrategy: () => null,
  })
  own.on('error', () => {})
  const answers = await Promise.allSettled([own.cluster('SLOTS'), own.cluster('INFO')])
  own.disconnect()
  const isRefused = answers.map(
    (answer) =>
      answer.status === 'rejected' && new RedisFailure(answer.reason as Error).code === 'NOPERM',
  )
  const rights = ['+cluster|slots', '+cluster|info'].filter((_right, i) => isRefused[i])
  return rights.length > 0 ? refusedRight(rights.join(' '), 'cluster') : undefined
}

/** Selects the database once more. The client uses the first one where that is refused. */
async function checkDatabase(redis: RedisConnection, client: Redis): Promise<string | undefined> {
  const { db = 0 } = client.options
  if (db === 0) return undefined
  try {
    await redis.ask(() => client.select(db), { budgetMs: CHECK_MS, retry: true })
    return undefined
  } catch (error) {
    if (!(error instanceof RedisFailure)) throw error
    if (error.isOutage) return undefined
    return error.code === 'NOPERM'
      ? refusedRight('+select', 'server')
      : `Redis cannot use database ${db}, which redis.url names: ${error.message}`
  }
}

/** Where docs/operate/redis.md has all rights. */
const WHOLE_LINE = {
  server: 'docs/operate/redis.md, "One server"',
  cluster: 'docs/operate/redis.md, "Cluster"',
}

const refusedRight = (right: string, where: keyof typeof WHOLE_LINE): string =>
  `Redis refuses its user what the ledger needs: allow it ${right}; ${WHOLE_LINE[where]}, has the whole line`

/** Returns what an operator must fix at the server of a partition, or undefined. @throws {RedisFailure} in an outage. */
export type ReadRefusal = (prefix: string, budgetMs: number) => Promise<string | undefined>

export function refusalReader(redis: RedisConnection): ReadRefusal {
  const check: Script = redis.script('hvCheck', readCheck())
  return async (prefix, budgetMs) => {
    try {
      return refusalOf(
        await check([`${prefix}check`], [], { budgetMs, retry: true, whileHung: true }),
      )
    } catch (error) {
      if (!(error instanceof RedisFailure) || error.isOutage) throw error
      if (error.code === 'NOPERM')
        return `Redis refuses its user what the ledger needs: ${error.message}`
      return `this server cannot run the ledger's scripts (${error.message}): use Redis 5 or later, or Valkey`
    }
  }
}

function refusalOf(answer: unknown): string | undefined {
  if (answer === undefined) return undefined
  const [identity, role, policy, version, refused, says] = answer as [
    identity: string,
    role: string,
    policy: string,
    version: string,
    refused: string,
    says: string,
  ]
  if (identity === '') {
    return 'Redis does not report its master_replid (INFO replication), so lost entries would go unnoticed: allow its user INFO, or use another server'
  }
  if (!ROLES.has(role)) return roleRefusal(role)
  if (refused === '') return evictionRefusal(policy)
  // As worded by Redis 6, by Redis 7, and by Redis 8 and Valkey.
  if (/NOPERM|can't run|ACL failure/.test(says)) {
    return refusedRight(`+${refused.toLowerCase()}`, 'server')
  }
  return `this server${version && ` (redis_version ${version})`} cannot run ${refused} in a script, which the ledger needs (${says.slice(0, 80)}): use Redis 5 or later, or Valkey`
}

/** Roles of a server that the ledger can use: a replica may be promoted. */
const ROLES: ReadonlySet<string> = new Set(['master', 'slave', 'replica'])

/** Explains why the ledger cannot use a role: if two servers accept writes, one does not know what the other has written. */
const roleRefusal = (role: string): string =>
  role === ''
    ? 'Redis does not report its role (INFO replication), so a replica that accepts writes would go unnoticed: use another server'
    : `Redis accepts writes beside another server (role:${role}), so each would have a ledger of its own: use one primary`

/**
 * Returns what an operator must fix about a maxmemory-policy. Some providers hide it (''); the loss of an evicted bucket is then
 * detected when one of its tokens is verified.
 */
export const evictionRefusal = (policy: string): string | undefined =>
  policy === '' || policy === 'noeviction'
    ? undefined
    : `Redis may drop entries of the ledger when its memory is full: set maxmemory-policy to noeviction (it is ${policy})`
