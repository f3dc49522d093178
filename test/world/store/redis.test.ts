/** The connection that ledger and limiter share: what is asked again, what is said, and what never is. Real servers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { RedisPlace } from '../../../src/store/redis-client.ts'
import { type ConnectionParts, type RedisConnection, redisConnection } from '../../../src/store/redis.ts'
import { freePort } from '../../support/ports.mjs'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { closeAfterEach } from '../../support/ledger-on-redis.ts'
import { eventually, keepLog, sleep } from '../../support/ledger-contract.ts'

let redis: TestRedis
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())

const closeLater = closeAfterEach()
function open(url = redis.url, parts: Partial<ConnectionParts> = {}, place: Partial<RedisPlace> = {}) {
  const log = keepLog()
  const link = redisConnection({ url, keyPrefix: 'hv', ...place }, { log, ...parts })
  closeLater(() => link.close())
  return { link, log }
}
async function ready(url?: string, parts?: Partial<ConnectionParts>, place?: Partial<RedisPlace>) {
  const made = open(url, parts, place)
  await eventually(() => expect(made.link.client.status).toBe('ready'))
  return made
}
/** A connection through a wire that can be broken. */
async function onWire(parts?: Partial<ConnectionParts>) {
  const wire = await startTcpProxy(redis.port)
  closeLater(() => wire.close())
  return { wire, ...(await ready(`redis://127.0.0.1:${wire.port}/0`, parts)) }
}
const patient = { budgetMs: 2000, retry: true }
const ECHO = 'return {KEYS[1], ARGV[1]}'
const echo = (link: RedisConnection, text: string, patience = patient) =>
  link.script('echo', ECHO, 1)(['{hv}:x'], [text], patience)
const messageOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(String, (error: unknown) => (error as Error).message)

test('keys begin with one hash tag, or that of the partition a name falls into', () => {
  const one = open().link
  expect([one.prefixes, one.prefixFor('anything')]).toEqual([['{hv}:'], '{hv}:'])
  const four = open(redis.url, { partitions: 4 }).link
  expect(four.prefixes).toEqual(['{hv.4.0}:', '{hv.4.1}:', '{hv.4.2}:', '{hv.4.3}:'])
  expect(new Set(Array.from({ length: 40 }, (_, i) => four.prefixFor(`name ${i}`)))).toEqual(new Set(four.prefixes))
})

describe('a script', () => {
  test('is run with its keys and arguments, at once on a link that is not ready yet', async () => {
    expect(await echo(open().link, 'text')).toEqual(['{hv}:x', 'text'])
  })
  test('is run again after the server forgot it', async () => {
    const { link } = await ready()
    await echo(link, 'before')
    await redis.cli('SCRIPT', 'FLUSH')
    expect(await echo(link, 'after')).toEqual(['{hv}:x', 'after'])
  })
  test('that is wrong is not tried twice, and its error names no argument', async () => {
    const { link } = await ready()
    const started = performance.now()
    const says = await messageOf(
      link.script('wrong', "return redis.call('NO-SUCH', ARGV[1])", 0)([], ['the-secret'], patient),
    )
    expect(says).toMatch(/unknown/i)
    expect(says).not.toContain('the-secret')
    expect(performance.now() - started).toBeLessThan(1000)
  })
  test('whose reply is lost is asked for once more, where that does no harm', async () => {
    const { wire, link } = await onWire()
    wire.cutReplyTo('twice')
    expect(await echo(link, 'twice')).toEqual(['{hv}:x', 'twice'])
    expect(wire.requests()).toBe(2)

    await eventually(() => expect(link.client.status).toBe('ready'))
    wire.cutReplyTo('once')
    expect(await messageOf(echo(link, 'once', { budgetMs: 2000, retry: false }))).toMatch(/max retries|closed|in time/)
    expect(wire.requests()).toBe(1)
  })
  test('that could not be sent has not been asked for: a lost reply is made good after that too', async () => {
    const wire = await startTcpProxy(redis.port)
    closeLater(() => wire.close())
    wire.cutReplyTo('twice')
    // Not connected yet.
    expect(await echo(open(`redis://127.0.0.1:${wire.port}/0`).link, 'twice')).toEqual(['{hv}:x', 'twice'])
    expect(wire.requests()).toBe(2)
  })
  test('whose time is just over is not asked for again', async () => {
    const at = { ms: 0 }
    const { wire, link } = await onWire({ elapsed: () => at.ms })
    wire.delay(5000)
    wire.watch('over')
    const asked = messageOf(echo(link, 'over', { budgetMs: 3000, retry: true }))
    at.ms = 3000
    expect(await asked).toMatch(/max retries|closed/)
    expect(wire.requests()).toBe(1)
  })
  test('whose reply is late fails when its time is over', async () => {
    const { wire, link } = await onWire()
    wire.delay(1500)
    const started = performance.now()
    expect(await messageOf(echo(link, 'late', { budgetMs: 200, retry: true }))).toBe('no answer in time')
    expect(performance.now() - started).toBeGreaterThan(190)
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

test('what is asked for in one turn leaves in one write, and each gets its own answer', async () => {
  const { wire, link } = await onWire()
  await echo(link, 'first')
  wire.watch('text ')
  const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => echo(link, `text ${i}`)))
  expect(answers).toEqual(Array.from({ length: 64 }, (_, i) => ['{hv}:x', `text ${i}`]))
  expect(wire.requests()).toBe(1)
})

describe('a server that hangs', () => {
  const brief = { budgetMs: 500, retry: true }
  const polled = { budgetMs: 300, retry: false, whileHung: true }

  test('is asked once, then refused to everybody but polls, until it answers one', async () => {
    const { wire, link } = await onWire()
    expect(link.trouble()).toBeUndefined()
    wire.delay(5000)
    wire.watch('slow')
    const started = performance.now()
    expect(await messageOf(echo(link, 'slow', brief))).toBe('no answer in time')
    expect(performance.now() - started).toBeLessThan(1000)
    expect(wire.requests()).toBe(1)
    expect(link.trouble()?.message).toBe('Redis is connected and does not answer')
    expect(await messageOf(echo(link, 'slow', brief))).toBe('Redis is connected and does not answer')
    expect(wire.requests()).toBe(1)

    // A second without a byte ends the connection, too.
    expect(await messageOf(echo(link, 'slow', polled))).toMatch(/in time|max retries/)
    expect(link.trouble()?.message).toBe('Redis is connected and does not answer')

    wire.delay(0)
    await eventually(async () => expect(await echo(link, 'back', polled)).toEqual(['{hv}:x', 'back']))
    expect(link.trouble()).toBeUndefined()
    expect(await echo(link, 'text')).toEqual(['{hv}:x', 'text'])
  })
  test('counts as there when it answers with an error', async () => {
    const { wire, link } = await onWire()
    wire.delay(5000)
    expect(await messageOf(echo(link, 'slow', brief))).toBe('no answer in time')
    wire.delay(0)
    const wrong = (): Promise<unknown> => link.script('noLua', 'no Lua', 0)([], [], polled)
    await eventually(async () => expect(await messageOf(wrong())).toMatch(/compil/i))
    expect(link.trouble()).toBeUndefined()
  })
  test('counts as there once a new connection is ready', async () => {
    const { wire, link } = await onWire()
    wire.delay(5000)
    expect(await messageOf(echo(link, 'slow', brief))).toBe('no answer in time')
    wire.delay(0)
    link.client.disconnect(true)
    await eventually(() => expect(link.trouble()).toBeUndefined())
    expect(await echo(link, 'text')).toEqual(['{hv}:x', 'text'])
  })
})

describe('a server that is gone', () => {
  test('is said once, and once that it is back; requests fail in their time, and then at once', async () => {
    const own = await startRedis()
    closeLater(() => own.remove())
    const { link, log } = await ready(own.url)
    expect(log.lines).toEqual([])
    let readies = 0
    link.onReady(() => readies++)
    await own.stop()
    await eventually(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toMatch(
      /^warn redis cannot be reached \{"detail":"(?:Error: )?connect ECONNREFUSED 127\.0\.0\.1:\d+"\}$/,
    )

    await sleep(700)
    const started = performance.now()
    expect(await messageOf(echo(link, 'x', { budgetMs: 500, retry: true }))).toBe('no connection to Redis')
    expect(performance.now() - started).toBeLessThan(500)
    expect(log.lines).toHaveLength(1)

    await own.start()
    await eventually(() => expect(log.lines).toHaveLength(2))
    expect(log.lines[1]).toBe('info redis is back {}')
    expect(readies).toBe(1)
    expect(await echo(link, 'again')).toEqual(['{hv}:x', 'again'])

    // Another outage is said again.
    await own.stop()
    await eventually(() => expect(log.lines).toHaveLength(3))
  })
  test('and comes back within the time of a request is waited for', async () => {
    const port = await freePort()
    const { link } = open(`redis://127.0.0.1:${port}/0`)
    await sleep(100)
    const asked = echo(link, 'soon', { budgetMs: 5000, retry: true })
    const own = await startRedis({ port })
    closeLater(() => own.remove())
    expect(await asked).toEqual(['{hv}:x', 'soon'])
  })
  test('is waited for while it is not gone for longer than a request may take', async () => {
    const port = await freePort()
    const at = { ms: 0 }
    const { link } = open(`redis://127.0.0.1:${port}/0`, { elapsed: () => at.ms })
    at.ms = 5000
    const asked = echo(link, 'soon', { budgetMs: 5000, retry: true })
    const own = await startRedis({ port })
    closeLater(() => own.remove())
    expect(await asked).toEqual(['{hv}:x', 'soon'])
  })
  test('is not waited for beyond the time of a request', async () => {
    const { link } = open(`redis://127.0.0.1:${await freePort()}/0`)
    const started = performance.now()
    expect(await messageOf(echo(link, 'x', { budgetMs: 300, retry: false }))).toBe('no connection to Redis')
    expect(performance.now() - started).toBeLessThan(1000)
  })
})

test('a password that is rotated in its file is the one of the next connection', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hv-password-'))
  closeLater(async () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'password')
  const rotate = async (password: string): Promise<void> => {
    writeFileSync(file, `${password}\n`)
    await redis.cli('ACL', 'SETUSER', 'rotated', 'on', 'resetpass', `>${password}`, '~*', '+@all')
    await redis.cli('CLIENT', 'KILL', 'USER', 'rotated')
  }
  await rotate('the-first')
  const { link } = await ready(redis.url.replace('//', '//rotated@'), undefined, { passwordFile: file })
  for (const password of ['the-second', 'the-third']) {
    await rotate(password)
    await eventually(async () => expect(await echo(link, password)).toEqual(['{hv}:x', password]))
  }
})

test('a link that is closed says nothing more, replaces nothing and asks nobody', async () => {
  const { link, log } = await ready()
  let readies = 0
  link.onReady(() => readies++)
  const client = link.client
  await link.close()
  const started = performance.now()
  expect(await messageOf(echo(link, 'x'))).toBe('no connection to Redis')
  expect(performance.now() - started).toBeLessThan(1000)
  await sleep(600)
  expect([link.client === client, client.status, readies, log.lines]).toEqual([true, 'end', 0, []])
})
