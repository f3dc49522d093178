/** Whether a Redis may hold the ledger, said in a sentence; each on a real server. */
import { afterAll, afterEach, describe, expect, test } from '@jest/globals'
import { checkRedis } from '../../../src/store/check-redis.ts'
import type { RedisPlace } from '../../../src/store/redis-client.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis.ts'
import { CLUSTER_ARGS, formCluster } from '../../support/cluster.ts'
import { closeAfterEach } from '../../support/ledger-on-redis.ts'
import { startRedis } from '../../support/redis.ts'
import { eventually, keepLog } from '../../support/ledger-contract.ts'

const closeLater = closeAfterEach()
function linkTo(place: Partial<RedisPlace>, partitions = 1): RedisConnection {
  const link = redisConnection({ keyPrefix: 'hv', ...place }, { log: keepLog(), partitions })
  closeLater(() => link.close())
  return link
}
const MAY_DROP =
  'Redis may drop entries of the ledger when its memory is full: set maxmemory-policy to noeviction (it is allkeys-lru)'

const redis = await startRedis()

describe('one server', () => {
  afterAll(() => redis.remove())
  afterEach(() => redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction'))

  test.each([1, 4])('with %i partitions may hold it, unless it evicts', async (partitions) => {
    const link = linkTo({ url: redis.url }, partitions)
    expect(await checkRedis(link)).toBeUndefined()
    await redis.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    expect(await checkRedis(link)).toBe(MAY_DROP)
  })

  test.each([
    [
      'hides who it is',
      '~{hv}:* -@all +evalsha +eval',
      'Redis does not report its master_replid (INFO replication), so lost entries would go unnoticed: allow its user INFO, or use another server',
    ],
    [
      'lacks a command',
      '~{hv}:* -@all +evalsha +eval +info +time +hsetnx',
      'Redis refuses its user what the ledger needs: allow it +hincrby; docs/operate/redis.md, "One server", has the whole line',
    ],
    ['refuses its user scripts', '~{hv}:* -@all +ping', /^Redis refuses its user what the ledger needs: NOPERM/],
    ['refuses its user the keys', '~other:* -@all +evalsha +eval +info', /^Redis refuses its user .*: NOPERM/],
  ])('that %s may not', async (what, rights, says) => {
    const user = what.split(' ')[0]!
    await redis.cli('ACL', 'SETUSER', user, 'on', '>pa55word', 'reset', 'on', '>pa55word', ...rights.split(' '))
    expect(await checkRedis(linkTo({ url: redis.url.replace('//', `//${user}:pa55word@`) }))).toMatch(says)
  })

  test.each([
    ['TIME', 'this server cannot run TIME in a script, which the ledger needs'],
    ['HSETNX', 'this server cannot run HSETNX in a script, which the ledger needs'],
    ['EVAL', "this server cannot run the ledger's scripts"],
  ])('that only looks like Redis, without %s, may not', async (command, says) => {
    const other = await startRedis({ args: ['--rename-command', command, ''] })
    closeLater(() => other.remove())
    expect(await checkRedis(linkTo({ url: other.url }))).toMatch(says)
  })

  test('that nobody reaches is not refused', async () => {
    expect(await checkRedis(linkTo({ url: 'redis://127.0.0.1:1/0' }))).toBeUndefined()
  })
})

test('of a Cluster each node is asked, also one that holds nothing of it now, and is named', async () => {
  const [one, other] = await Promise.all([startRedis({ args: CLUSTER_ARGS }), startRedis({ args: CLUSTER_ARGS })])
  closeLater(() => one.remove())
  closeLater(() => other.remove())
  await formCluster([one, other])
  const link = linkTo({ cluster: [{ host: '127.0.0.1', port: one.port }] })
  await eventually(() => expect(link.client.status).toBe('ready'))
  expect(await checkRedis(link)).toBeUndefined()

  const slot = Number(await one.cli('CLUSTER', 'KEYSLOT', '{hv}:gen'))
  const [holder, idle] = slot < 8192 ? [one, other] : [other, one]
  await idle.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  expect(await checkRedis(link)).toBe(`127.0.0.1:${idle.port}: ${MAY_DROP}`)
  // Of its own partitions each is asked first, on whichever node.
  const spread = linkTo({ cluster: [{ host: '127.0.0.1', port: one.port }] }, 16)
  await eventually(() => expect(spread.client.status).toBe('ready'))
  await eventually(async () => expect(await checkRedis(spread)).toBe(MAY_DROP))
  await holder.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
  expect(await checkRedis(link)).toBe(MAY_DROP)
  // A node that does not answer is left out: the service starts, and the ledger asks again.
  await holder.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  idle.pause()
  closeLater(() => idle.resume())
  expect(await checkRedis(link)).toBeUndefined()
}, 40_000)
