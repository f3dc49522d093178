/** Scripts that are called in one turn leave in few commands, and each call stands for itself: counted by Redis itself. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Cluster, Redis } from 'ioredis'
import { type CommandWatch, scriptCalls } from '../../../src/redis/script-calls.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { eventually } from '../../support/ledger-contract.ts'

let server: TestRedis
let client: Redis
let onlooker: Redis

beforeAll(async () => {
  server = await startRedis()
  client = new Redis(server.url)
  onlooker = new Redis(server.url)
  await Promise.all([client.ping(), onlooker.ping()])
})
afterAll(async () => {
  client.disconnect()
  onlooker.disconnect()
  await server.remove()
})

const ECHO = 'return {KEYS[1], #KEYS, ARGV[1], #ARGV}'
const elapsed = (): number => performance.now()
const NOBODY: CommandWatch = { onAnswer() {}, onSilence() {} }
const calls = (watch = NOBODY) => scriptCalls(() => client, watch, elapsed)

/** How often Redis has read from anybody. */
const readsSoFar = async (): Promise<number> =>
  Number(/total_reads_processed:(\d+)/.exec(await onlooker.info('stats'))![1])

/** How often Redis was asked to run a script, by anybody: by its hash, and by its text. */
async function commandsSoFar(asked = onlooker): Promise<{ byHash: number; byText: number }> {
  const stats = await asked.info('commandstats')
  const countOf = (name: string) => Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0)
  return { byHash: countOf('evalsha'), byText: countOf('eval') }
}

/** How many reads so many calls of one turn take; the server knows the script. */
async function readsOf(count: number, call = calls()): Promise<number> {
  await call(ECHO, [], [])
  const before = await readsSoFar()
  const answers = Array.from({ length: count }, (_, i) => call(ECHO, [`key ${i}`], [String(i), 'more']))
  expect(await Promise.all(answers)).toEqual(Array.from({ length: count }, (_, i) => [`key ${i}`, 1, String(i), 2]))
  // One is the question itself.
  return (await readsSoFar()) - before - 1
}

describe('the calls of one turn', () => {
  test.each([
    [1, 1],
    [16, 1],
  ])('%i arrive in %i read, and each gets its own answer', async (count, reads) => {
    expect(await readsOf(count)).toBe(reads)
  })

  // At most: what Redis was too busy to read at once, it reads together.
  test.each([
    [17, 2],
    [64, 4],
  ])('%i arrive in at most %i reads', async (count, reads) => {
    expect(await readsOf(count)).toBeLessThanOrEqual(reads)
  })

  test.each([
    [1, 1],
    [16, 1],
    [17, 2],
    [32, 2],
    [64, 4],
  ])('of %i calls Redis is asked %i times', async (count, commands) => {
    const call = calls()
    await call(ECHO, [], [])
    const before = await commandsSoFar()
    await Promise.all(Array.from({ length: count }, (_, i) => call(ECHO, [`key ${i}`], [])))
    expect(await commandsSoFar()).toEqual({ ...before, byHash: before.byHash + commands })
  })

  test('that come after its end leave together with the next', async () => {
    const call = calls()
    await call(ECHO, [], [])
    const before = await commandsSoFar()
    const answers: Promise<unknown>[] = []
    const ask = () => answers.push(call(ECHO, [], []))
    ask()
    setImmediate(ask)
    ask()
    await new Promise<void>((resolve) => setImmediate(() => resolve(void ask())))
    expect(answers).toHaveLength(4)
    await Promise.all(answers)
    expect((await commandsSoFar()).byHash - before.byHash).toBe(2)
  })

  test('the next turn has commands of its own', async () => {
    const call = calls()
    expect(await readsOf(3, call)).toBe(1)
    expect(await readsOf(20, call)).toBeLessThanOrEqual(2)
    expect(await readsOf(3, call)).toBe(1)
  })

  test('of several scripts arrive in one read', async () => {
    const call = calls()
    const all = () => Promise.all(['1', '2', '3'].map((each) => call(`return ${each}`, [], [])))
    await all()
    const before = await readsSoFar()
    expect(await all()).toEqual([1, 2, 3])
    expect((await readsSoFar()) - before - 1).toBe(1)
  })

  test('are run one after the other: each sees what those before it wrote', async () => {
    const call = calls()
    const counts = Array.from({ length: 40 }, () => call(`return redis.call('INCR', KEYS[1])`, ['counter'], []))
    expect(await Promise.all(counts)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
  })

  test('carry any text as an argument: quotes, line feeds, nothing, other alphabets', async () => {
    const given = ['"', '\n', '', '\\', '\0', '漢字 😀', '[1]', ' ']
    expect(await calls()('return ARGV', [], given)).toEqual(given)
  })
})

describe('what goes wrong', () => {
  const PUSH = `
if ARGV[1] == 'error' then return redis.call('RPUSH', KEYS[1], 'x') end
if ARGV[1] == 'returned' then return redis.pcall('RPUSH', KEYS[1], 'x') end
if ARGV[1] == 'mistake' then return nobody.there end
return 'fine'`

  test('in one call is its own error; the others never hear of it', async () => {
    await client.set('text', 'no list')
    const call = calls()
    const settled = await Promise.allSettled(
      ['', 'error', '', 'returned', 'mistake', ''].map((what) => call(PUSH, ['text'], [what])),
    )
    const seen = settled.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error)))
    const wrongKind = expect.objectContaining({ name: 'ReplyError', message: expect.stringContaining('WRONGTYPE') })
    const mistake = expect.objectContaining({ name: 'ReplyError', message: expect.stringContaining('nobody') })
    expect(seen).toEqual(['fine', wrongKind, 'fine', wrongKind, mistake, 'fine'])
  })

  test('with the arguments of one call is its own error too', async () => {
    const call = calls()
    const settled = await Promise.allSettled(['fine', 'half a \ud83d', 'fine'].map((text) => call(ECHO, [], [text])))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('with the connection is told to each of them', async () => {
    const gone = new Redis(server.url, { lazyConnect: true, enableOfflineQueue: false })
    const call = scriptCalls(() => gone, NOBODY, elapsed)
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => call(ECHO, [], [])))
    expect(settled.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'))
    gone.disconnect()
  })

  test('a server that has forgotten the script is told it again', async () => {
    const call = calls()
    await call(ECHO, [], [])
    await client.script('FLUSH')
    expect(await Promise.all([call(ECHO, ['a'], ['b']), call(ECHO, ['c'], ['d'])])).toEqual([
      ['a', 1, 'b', 1],
      ['c', 1, 'd', 1],
    ])
  })

  test('the text of a script is sent once, and again only to who has forgotten it', async () => {
    const call = calls()
    const own = `return 'known'`
    const before = (await commandsSoFar()).byText
    for (let i = 0; i < 3; i++) expect(await call(own, [], [])).toBe('known')
    expect((await commandsSoFar()).byText - before).toBe(1)
    await client.script('FLUSH')
    for (let i = 0; i < 3; i++) expect(await call(own, [], [])).toBe('known')
    expect((await commandsSoFar()).byText - before).toBe(2)
  })

  test('an answer of nothing is null', async () => {
    expect(await calls()('return false', [], [])).toBeNull()
  })
})

describe('in a Cluster', () => {
  let node: TestRedis
  let cluster: Cluster
  let asked: Redis
  beforeAll(async () => {
    node = await startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] })
    await node.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    await eventually(async () => expect(await node.cli('CLUSTER', 'INFO')).toMatch('cluster_state:ok'), 20_000)
    cluster = new Cluster([{ host: '127.0.0.1', port: node.port }])
    asked = new Redis(node.url)
    await Promise.all([cluster.ping(), asked.ping()])
  })
  afterAll(async () => {
    cluster.disconnect()
    asked.disconnect()
    await node.remove()
  })

  // A command whose keys lie in several slots would be refused whole.
  test.each([
    [1, 'whose keys share a hash tag', ['{hv.2.0}:a', '{hv.2.0}:b', 'c{hv.2.0}']],
    [2, 'whose hash tags differ', ['{hv.2.0}:a', '{hv.2.1}:a', '{hv.2.0}:b']],
    [2, 'whose hash tags begin alike', ['{hv}:a', '{hv.1}:a']],
    [1, 'of one key without a hash tag', ['plain', 'plain']],
    [3, 'of other keys without one', ['plain', 'other', '{}:a']],
    [1, 'without keys', [undefined, undefined]],
  ])('%i commands are made of calls %s', async (commands, _which, keys) => {
    const call = scriptCalls(() => cluster, NOBODY, elapsed)
    await call(ECHO, [], [])
    const before = (await commandsSoFar(asked)).byHash
    const answers = keys.map((key, i) => call(ECHO, key === undefined ? [] : [key], [String(i)]))
    // Lua's lists end at the first nothing.
    const own = keys.map((key, i) => (key === undefined ? [] : [key, 1, String(i), 1]))
    expect(await Promise.all(answers)).toEqual(own)
    expect((await commandsSoFar(asked)).byHash - before).toBe(commands)
  })

  test('each script has commands of its own', async () => {
    const call = scriptCalls(() => cluster, NOBODY, elapsed)
    const answers = [call('return 1', ['{hv}:a'], []), call('return 2', ['{hv}:a'], [])]
    expect(await Promise.all(answers)).toEqual([1, 2])
  })
})
