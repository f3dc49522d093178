/** The default of docker-compose.yml as real processes: a Redis with users, and what each of them may do there. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import {
  configurationOf,
  DEMONSTRATION,
  fillVolumes,
  OPERATOR,
  redisArguments,
  type Replica,
  startReplica,
  type Volumes,
} from '../../support/compose.ts'
import { type Proxy, startHaproxy } from '../../support/proxies.ts'
import { startRedis, type TestRedis } from '../../support/redis.ts'
import { post, token } from '../../support/visitor.ts'
import { documentedUser } from '../store/secured.ts'

let volumes: Volumes
let redis: TestRedis
let replicas: Replica[] = []
let balancer: Proxy

beforeAll(async () => {
  volumes = fillVolumes()
  redis = await startRedis({ args: redisArguments('redis', volumes), operator: OPERATOR })
  const config = configurationOf('config.yaml', [redis.port], volumes)
  replicas = await Promise.all([1, 2].map(() => startReplica(config, config.keyring)))
  balancer = await startHaproxy(replicas.map(({ url }) => url))
}, 60_000)
afterAll(async () => {
  await balancer?.stop()
  await Promise.all(replicas.map(({ process }) => process.kill()))
  await redis?.remove()
  volumes.remove()
})

const contentOf = (folder: 'keys' | 'redis', file: string): string => readFileSync(join(volumes[folder], file), 'utf8')
const password = (): string => contentOf('keys', 'redis-password').trim()

/** Runs commands as a user. @returns the answers, or the first word of each error. */
async function as(user: { username: string; password: string } | undefined, ...commands: string[][]) {
  const client = new Redis({ port: redis.port, protocol: 2, disableClientInfo: true, enableReadyCheck: false, ...user })
  try {
    const answers: unknown[] = []
    for (const [name, ...args] of commands)
      answers.push(await client.call(name!, ...args).catch((error: Error) => error.message.split(' ')[0]))
    return answers
  } finally {
    client.disconnect()
  }
}

describe('the service, with its one user', () => {
  test('serves visitors through the balancer, each token once', async () => {
    const { prove } = replicas[0]!.process.ask
    const whom = { ...DEMONSTRATION, base: balancer.url, prove, patient: true }
    for (let i = 0; i < 6; i++) {
      const response = await token(whom)
      const asked = [0, 1, 2, 3].map(() =>
        post(`${balancer.url}/api/v1/siteverify`, { secret: DEMONSTRATION.secret, response }),
      )
      const answers = await Promise.all(asked)
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1)
    }
    // Nothing was refused, and nobody else is there.
    expect(await redis.cli('ACL', 'LOG')).toEqual([])
    const clients = String(await redis.cli('CLIENT', 'LIST'))
    const users = [...clients.matchAll(/ user=(\S+)/g)].map(([, user]) => user)
    expect(new Set(users)).toEqual(new Set(['hv', OPERATOR]))
    for (const { process } of replicas) expect(process.said()).not.toContain(password())
  }, 60_000)

  test('may do what docs/operate/redis.md lists for it, and nothing else', async () => {
    const [user, on, , ...rights] = documentedUser('acl')
    expect(contentOf('redis', 'users.acl')).toMatch(new RegExp(`^user ${user} ${on} #[0-9a-f]{64} `, 'm'))
    expect(contentOf('redis', 'users.acl')).toContain(` ${rights.join(' ')}\n`)
    const [sentinelUser, , , ...sentinelRights] = documentedUser('acl-sentinel')
    expect(contentOf('redis', 'sentinel.conf')).toMatch(new RegExp(`^user ${sentinelUser} on #`, 'm'))
    expect(contentOf('redis', 'sentinel.conf')).toContain(` ${sentinelRights.join(' ')}\n`)

    const forbidden = [
      ['FLUSHALL'],
      ['KEYS', '*'],
      ['CONFIG', 'GET', '*'],
      ['DEL', '{hv}:x'],
      ['GET', 'other'],
      ['ACL', 'LIST'],
    ]
    const answers = await as({ username: 'hv', password: password() }, ['PING'], ...forbidden)
    expect(answers).toEqual(['PONG', ...forbidden.map(() => 'NOPERM')])
    await redis.cli('ACL', 'LOG', 'RESET')
  })
})

describe('everybody else', () => {
  test('is nobody without a password, and may ping as `health`', async () => {
    expect(await as(undefined, ['PING'], ['GET', '{hv}:gen'])).toEqual(['NOAUTH', 'NOAUTH'])
    const health = { username: 'health', password: 'health' }
    expect(await as(health, ['PING'], ['INFO'], ['GET', '{hv}:gen'])).toEqual(['PONG', 'NOPERM', 'NOPERM'])
    await redis.cli('ACL', 'LOG', 'RESET')
  })
})

test('the next start keeps keys and passwords, which only their owner reads, and Redis gets hashes', () => {
  const files = ['keyring.json', 'redis-password', 'replica-password', 'sentinel-password']
  const before = files.map((file) => contentOf('keys', file))
  volumes.fill()
  expect(files.map((file) => contentOf('keys', file))).toEqual(before)
  for (const file of files) expect(statSync(join(volumes.keys, file)).mode & 0o777).toBe(0o600)
  // Three passwords, not one thrice.
  expect(new Set(before).size).toBe(4)
  for (const one of before.slice(1)) expect(contentOf('redis', 'users.acl')).not.toContain(one.trim())
  expect(contentOf('redis', 'redis.conf')).not.toContain(password())
  expect(contentOf('redis', 'sentinel.conf')).not.toContain(password())
})
