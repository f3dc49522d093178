/** `hv serve` on Redis as operators secure it, by the settings of docs/operate/redis.md; start-up refusals too. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Certificates,
  certificates,
  documentedUser,
  PASSWORD,
  securedCluster,
  securedRedis,
  securedSentinel,
} from '../store/secured.ts'
import { CONFIG, keyringFile, NotStarted, SECRET, type ServiceProcess, startService } from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { post, token } from '../../support/visitor.ts'

let tls: Certificates
beforeAll(() => {
  tls = certificates()
})
afterAll(() => tls.remove())

let undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.toReversed()) await step()
  undo = []
})

const encrypted = { tls: true, ca: '', username: 'hv', password: PASSWORD }

/** Settings of a Redis that has just been started. */
const WAYS: Record<string, () => Promise<object>> = {
  'one server over TLS': async () => {
    const redis = await securedRedis(tls, documentedUser('acl'))
    undo.push(() => redis.remove())
    return { redis: { url: `rediss://hv:${PASSWORD}@127.0.0.1:${redis.tlsPort}/0`, ca: tls.ca } }
  },
  'Sentinel over TLS': async () => {
    const primary = await securedRedis(tls, documentedUser('acl'))
    undo.push(() => primary.remove())
    const sentinel = await securedSentinel(tls, primary, documentedUser('acl-sentinel'))
    undo.push(() => sentinel.remove())
    const watched = { name: 'hv', nodes: [`127.0.0.1:${sentinel.port}`] }
    const users = { ...encrypted, ca: tls.ca, sentinel_username: 'hv', sentinel_password: PASSWORD }
    return { redis: { sentinel: watched, ...users } }
  },
  'a Cluster over TLS, in 16 partitions': async () => {
    const nodes = await securedCluster(tls, 3, documentedUser('acl-cluster'))
    for (const node of nodes) undo.push(() => node.remove())
    const cluster = nodes.map(({ tlsPort }) => `127.0.0.1:${tlsPort}`)
    return { redis: { cluster, ...encrypted, ca: tls.ca }, ledger: { partitions: 16 } }
  },
}

async function start(settings: object): Promise<ServiceProcess[]> {
  const shared = { config: { ...CONFIG, ...settings }, keyring: keyringFile() }
  const services = await Promise.all([startService(shared), startService(shared)])
  for (const service of services) undo.push(() => service.kill())
  return services
}

const verify = (service: ServiceProcess, response: string) =>
  post(`${service.url}/api/v1/siteverify`, { secret: SECRET, response })

describe('two processes', () => {
  test.each(Object.keys(WAYS))(
    'on %s accept each token once, whichever they share it by',
    async (way) => {
      const services = await start(await WAYS[way]!())
      for (let i = 0; i < 8; i++) {
        const [here, there] = [services[i % 2]!, services[(i + 1) % 2]!]
        const response = await token(here.ask)
        const answers = await Promise.all([here, there, here, there].map((each) => verify(each, response)))
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
        expect(answers.filter(({ body }) => body['success'] === true)).toHaveLength(1)
      }
      expect(JSON.stringify(services.flatMap((service) => service.lines()))).not.toContain(PASSWORD)
    },
    80_000,
  )

  test('that disagree about the partitions never both accept a token, and each accepts its own', async () => {
    const redis = await startRedis()
    undo.push(() => redis.remove())
    const keyring = keyringFile()
    const of = (partitions: number) =>
      startService({ keyring, config: { ...CONFIG, redis: { url: redis.url }, ledger: { partitions } } })
    const services = await Promise.all([of(2), of(3)])
    for (const service of services) undo.push(() => service.kill())
    for (let i = 0; i < 12; i++) {
      const [issuer, stranger] = [services[i % 2]!, services[(i + 1) % 2]!]
      const response = await token(issuer.ask)
      expect((await verify(stranger, response)).body['error-codes']).toEqual(['timeout-or-duplicate'])
      expect((await verify(issuer, response)).body).toMatchObject({ success: true })
      expect((await verify(stranger, response)).body['error-codes']).toEqual(['timeout-or-duplicate'])
    }
  })
})

/** What a service says that must not start. */
const refusal = async (settings: object, env: Record<string, string> = {}): Promise<string> => {
  const started = startService({ config: { ...CONFIG, ...settings }, env })
  const error: unknown = await started.then(
    (service) => service.kill(),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof NotStarted)) throw new Error('the service started')
  expect(error.exitCode).toBe(1)
  return error.said
}

describe('the start is refused, with a sentence that says what to do,', () => {
  test.each([1, 4])('when Redis evicts, and the ledger has %d partitions', async (partitions) => {
    const redis = await startRedis({ args: ['--maxmemory-policy', 'volatile-ttl'] })
    undo.push(() => redis.remove())
    expect(await refusal({ redis: { url: redis.url }, ledger: { partitions } })).toMatch(
      /not started: .*set maxmemory-policy to noeviction \(it is volatile-ttl\)/,
    )
  })

  test('when the user may not read the identity, and when it may not run the script', async () => {
    const redis = await startRedis()
    undo.push(() => redis.remove())
    const rights = documentedUser('acl').filter((right) => right !== 'hv')
    const setUser = (name: string, without: string) =>
      redis.cli('ACL', 'SETUSER', name, ...rights.filter((right) => right !== without))
    await setUser('blind', '+info')
    await setUser('mute', '+evalsha')
    const as = (name: string) => ({ HV_REDIS_URL: redis.url.replace('//', `//${name}:${PASSWORD}@`) })
    expect(await refusal({}, as('blind'))).toMatch(/not started: .*master_replid.*allow its user INFO/)
    const mute = await refusal({}, as('mute'))
    expect(mute).toMatch(/not started: Redis refuses its user what the ledger needs: NOPERM .*evalsha/i)
    expect(mute).not.toContain(PASSWORD)
  })

  test('when the file of the authority is not there', async () => {
    const redis = { url: 'rediss://127.0.0.1:6380/0', ca: '/nowhere/ca.pem' }
    expect(await refusal({ redis })).toContain('not started: redis.ca: /nowhere/ca.pem cannot be read (ENOENT)')
  })
})
