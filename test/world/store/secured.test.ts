/** Redis as operators secure it: TLS with their own authority, and users with the rights of docs/operate/redis.md. */
import { describe, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { partitionOf } from '../../../src/store/redis/partitions.ts'
import { later, type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { history } from '../../../src/store/history/history.ts'
import { redisCounters } from '../../../src/store/history/counters.ts'
import { checkRedis } from '../../../src/store/redis/check-redis.ts'
import type { RedisPlace } from '../../../src/store/redis/redis-client.ts'
import { budgetLimiter } from '../../../src/store/limits/budget-limiter.ts'
import { redisLimits } from '../../../src/store/limits/limit-store.ts'
import { type RedisConnection, redisConnection } from '../../../src/store/redis/redis-connection.ts'
import { CLUSTER_ARGS, formCluster } from '../../support/cluster.ts'
import { freePort } from '../../support/ports.mjs'
import {
  isSinceRedis7,
  listening,
  speaksTls,
  startRedis,
  type TestRedis,
} from '../../support/redis.ts'
import { startSentinels } from '../../support/sentinel.ts'
import { closeLater } from '../../support/close-later.ts'
import { everyBudget, type LedgerOnRedis, openLedger } from '../../support/ledger-on-redis.ts'
import {
  entry,
  eventually,
  faultOf,
  keepLog,
  newAttempt,
  newJti,
  random,
} from '../../support/ledger-contract.ts'
import { byName, certificates, documentedUser, PASSWORD } from './secured.ts'

const tls = certificates()
const { ca } = tls
/** Servers of PyPI are built without TLS. They are tested without it, but for what is about TLS alone. */
const isOverTls = speaksTls()
const HOW = isOverTls ? 'over TLS' : 'without TLS, which its build lacks'
const tlsTest = isOverTls ? test : test.skip
const TLS = [
  `tls-cert-file ${tls.cert}`,
  `tls-key-file ${tls.key}`,
  `tls-ca-cert-file ${ca}`,
  'tls-auth-clients no',
]

interface SecuredRedis extends TestRedis {
  readonly securePort: number
}

/** With the documented user, on a plain port for the test's own commands and on one with TLS. */
async function securedRedis(user: string[], args: string[] = []): Promise<SecuredRedis> {
  if (!isOverTls) {
    const plain = await startRedis({ args: ['--user', ...user, ...args] })
    return { ...plain, securePort: plain.port }
  }
  const securePort = await freePort()
  const options = [...TLS, `tls-port ${securePort}`].flatMap((option) => `--${option}`.split(' '))
  const redis = await startRedis({ args: [...options, '--user', ...user, ...args] })
  await listening(securePort)
  return { ...redis, securePort }
}

/** Who runs scripts there, and who was refused what. */
async function usersOf(redis: TestRedis) {
  const list = String(await redis.cli('CLIENT', 'LIST'))
  // Redis 6 names no subcommand.
  const asked = list.matchAll(/ cmd=(?!client(?:\|list)? )\S+ user=(\S+)/g)
  const users = [...asked].map(([, user]) => user)
  return { users: [...new Set(users)], refused: await redis.cli('ACL', 'LOG') }
}
const THE_ONE = { users: ['hv'], refused: [] }

const instance = (place: Partial<RedisPlace>, partitions = 1): LedgerOnRedis =>
  openLedger(place, { partitions, patient: true })

/** Everything that ledger, limiter and history ever ask of Redis, on every partition. */
async function works({ link, ledger, log }: LedgerOnRedis): Promise<void> {
  await eventually(() => ledger.probe(), 5000)
  expect(await checkRedis(link)).toBeUndefined()
  const limiter = budgetLimiter(redisLimits(link), everyBudget(1, 60))
  for (let i = 0; i < 20; i++) {
    const jti = newJti()
    const token = entry(ledger.generation(jti), { jti })
    expect(await ledger.consume(token)).toBe('first')
    expect(await ledger.consume({ ...token, attempt: newAttempt() })).toBe('taken')
    expect(await faultOf(() => limiter.take('siteverify', jti))).toBe('none')
    expect(await faultOf(() => limiter.take('siteverify', jti))).toBe('rate-limit-exceeded')
  }
  const remembered = history(redisCounters(link), log)
  const siteAction = { sitekey: 'hv_site_testshop' as Sitekey, action: undefined }
  const now = unixSeconds(Math.floor(Date.now() / 1000))
  for (let i = 0; i < 20; i++) {
    const charge = {
      jti: newJti(),
      sitekey: siteAction.sitekey,
      until: later(now, 60),
      cost: 2,
      extraBudgets: ['ticket'] as const,
    }
    const address = `6g${random.id()}`
    expect([await limiter.visit(address, charge), await limiter.visit(address, charge)]).toEqual([
      'first',
      'again',
    ])
    const known = await remembered.solved(
      address,
      { siteAction, units: 18_432, partOf: 18_432 },
      now,
    )
    expect(known.address).toEqual({ visits: 1, parts: 1 })
  }
  expect(log.lines).toEqual([])
}

const codeOf = (error: { readonly code?: string }) => error.code
const node = (port: number) => ({ host: '127.0.0.1', port })

test(`one server works ${HOW}, with the documented user and no other right`, async () => {
  const redis = await securedRedis(documentedUser('acl'))
  const at = `hv:${PASSWORD}@127.0.0.1:${redis.securePort}/0`
  await works(instance(isOverTls ? { url: `rediss://${at}`, ca } : { url: `redis://${at}` }))
  expect(await usersOf(redis)).toEqual(THE_ONE)
})

test('a password may have any character, written as %xx', async () => {
  const password = '%41 100%/#?@:"é'
  const redis = await startRedis({ args: ['--requirepass', password] })
  const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${redis.port}/0`
  await expect(eventually(() => instance({ url }).ledger.probe(), 5000)).resolves.toBeUndefined()
})

test.each([
  { where: 'in partitions', right: '~{hv.*}:*', in: '~{hv}:*', database: 0, partitions: 4 },
  { where: 'in another database', right: '+select', in: undefined, database: 2, partitions: 1 },
])(
  'one server works $where with the right $right',
  async ({ right, in: instead, database, partitions }) => {
    const user = documentedUser('acl').filter((each) => each !== instead)
    const redis = await securedRedis([...user, right])
    await works(
      instance({ url: `redis://hv:${PASSWORD}@127.0.0.1:${redis.port}/${database}` }, partitions),
    )
    expect(await redis.cli('ACL', 'LOG')).toEqual([])
  },
)

tlsTest.each([
  {
    when: 'the authority is not named',
    place: {},
    says: /self.signed certificate|unable to verify/,
  },
  { when: 'the certificate names another host', place: { ca }, says: /altnames|does not match/i },
])('a server is not believed when $when', async ({ place, says }) => {
  const redis = await securedRedis(documentedUser('acl'))
  const host = 'ca' in place ? 'localhost' : '127.0.0.1'
  const { ledger, log } = instance({
    url: `rediss://hv:${PASSWORD}@${host}:${redis.securePort}/0`,
    ...place,
  })
  await eventually(() => expect(log.lines).toHaveLength(1))
  expect(log.lines[0]).toMatch(says)
  expect(await faultOf(() => ledger.generation(newJti()))).toBe('database-unavailable')
})

const SECURED = { username: 'hv', password: PASSWORD, ...(isOverTls && { tls: true, ca }) }

test(`Sentinel works ${HOW}, with one user of the Sentinels and one of the servers`, async () => {
  const primary = await securedRedis(documentedUser('acl'))
  const tlsPort = await freePort()
  const lines = [
    'port 0',
    'dir .',
    'bind 127.0.0.1',
    ...(isOverTls ? [`tls-port ${tlsPort}`, ...TLS, 'tls-replication yes'] : []),
    `user ${documentedUser('acl-sentinel').join(' ')}`,
    'sentinel monitor hv primary 0 1',
  ]
  const at = node(primary.securePort)
  const sentinels = await startSentinels({
    primary: at,
    replicas: 0,
    places: [{}],
    file: lines.join('\n'),
  })
  const plainPort = Number(sentinels.nodes[0]!.split(':')[1])
  const sentinel = { name: 'hv', nodes: [node(isOverTls ? tlsPort : plainPort)] }
  await works(
    instance({ ...SECURED, sentinel, sentinelUsername: 'hv', sentinelPassword: PASSWORD }),
  )
  expect(await primary.cli('ACL', 'LOG')).toEqual([])
  const operator = new Redis({
    port: plainPort,
    protocol: 2,
    disableClientInfo: true,
  })
  closeLater(operator, (it) => it.disconnect())
  const refusals = (await operator.call('ACL', 'LOG')) as string[][]
  const refused = refusals.map((fields) => fields[fields.indexOf('object') + 1])
  // ioredis tells every Sentinel its name by CLIENT SETINFO, whatever `disableClientInfo` says. Redis 7.0 logs no unknown command.
  expect(refused.filter((command) => !/^client(\|setinfo)?$/.test(command!))).toEqual([])
}, 30_000)

test(`a Cluster works ${HOW} with the documented user, and loses only the partitions of the primary that fails`, async () => {
  const args = [...CLUSTER_ARGS, '--cluster-require-full-coverage', 'no']
  if (isOverTls) args.push('--tls-cluster', 'yes')
  const user = documentedUser('acl-cluster')
  const nodes = await Promise.all([1, 2, 3].map(() => securedRedis(user, args)))
  await formCluster(nodes, ({ securePort }) => securePort)
  const cluster = nodes.map(({ securePort }) => node(securePort))
  const made = instance({ ...SECURED, cluster }, 24)
  await works(made)
  for (const each of nodes) expect(await usersOf(each)).toEqual(THE_ONE)
  const shares = await Promise.all(
    nodes.map((each) => each.cli('KEYS', '{hv.24.*}:gen') as Promise<string[]>),
  )
  expect(shares.map((keys) => keys.length)).toEqual([9, 8, 7])

  const { ledger } = made
  // The fullest decides; those without a bound are empty.
  await nodes[1]!.cli('CONFIG', 'SET', 'maxmemory', '20mb')
  await eventually(() => expect(ledger.fullness()).toBeGreaterThan(0))
  const tokens = Array.from({ length: 60 }, newJti).map((jti) =>
    entry(ledger.generation(jti), { jti }),
  )
  await nodes[2]!.stop()
  for (const token of tokens) {
    const partition = partitionOf(token.jti, 24)
    const outcome = await ledger.consume(token).catch(codeOf)
    const isLost = shares[2]!.includes(`{hv.24.${partition}}:gen`)
    expect({ partition, outcome }).toEqual({
      partition,
      outcome: isLost ? 'database-unavailable' : 'first',
    })
  }
  expect(ledger.fault()).toBeUndefined()
}, 40_000)

describe('TLS names the host, so that a router by name finds the server', () => {
  /** Works, and has asked for nothing but this name. */
  async function expectToFind(
    { names }: Awaited<ReturnType<typeof byName>>,
    place: Partial<RedisPlace>,
  ): Promise<void> {
    await works(instance({ ...place, ca }))
    expect([...new Set(names)]).toEqual(['localhost'])
  }

  test('of a url', async () => {
    const relay = await byName(tls, (await startRedis()).port)
    await expectToFind(relay, { url: `rediss://localhost:${relay.port}/0` })
  })

  // Redis 6 announces no names.
  const named = isSinceRedis7() ? test : test.skip
  named(
    'of each node of a Cluster, as it is configured and as the Cluster announces it',
    async () => {
      const port = await freePort()
      const names = [
        '--cluster-announce-hostname',
        'localhost',
        '--cluster-preferred-endpoint-type',
        'hostname',
      ]
      const redis = await startRedis({
        args: [...CLUSTER_ARGS, '--cluster-announce-port', String(port), ...names],
      })
      await formCluster([redis])
      const relay = await byName(tls, redis.port, port)
      await expectToFind(relay, { tls: true, cluster: [{ host: 'localhost', port }] })
    },
  )

  tlsTest('of the Sentinels and of the primary that they name', async () => {
    const primary = await byName(tls, (await startRedis()).port)
    const file = [
      'port 0',
      'dir .',
      'bind 127.0.0.1',
      ...TLS,
      'tls-replication yes',
      'sentinel resolve-hostnames yes',
      'sentinel announce-hostnames yes',
      'sentinel monitor hv primary 0 1',
    ].join('\n')
    const at = { host: 'localhost', port: primary.port }
    const sentinels = await startSentinels({ primary: at, replicas: 0, places: [{}], file })
    const relay = await byName(tls, Number(sentinels.nodes[0]!.split(':')[1]))
    const sentinel = { name: 'hv', nodes: [{ host: 'localhost', port: relay.port }] }
    await expectToFind(relay, { tls: true, sentinel })
    expect([...new Set(primary.names)]).toEqual(['localhost'])
  })
})

function linkTo(place: Partial<RedisPlace>, partitions = 1): RedisConnection {
  const link = redisConnection({ keyPrefix: 'hv', ...place }, { log: keepLog(), partitions })
  return closeLater(link, (it) => it.close())
}

/** Why it is unfit for the ledger, in a sentence. */
const MAY_DROP =
  'Redis may drop entries of the ledger when its memory is full: set maxmemory-policy to noeviction (it is allkeys-lru)'

const redis = await startRedis()
describe('one server', () => {
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
    [
      'refuses its user scripts',
      '~{hv}:* -@all +ping',
      /^Redis refuses its user what the ledger needs: NOPERM/,
    ],
    [
      'refuses its user the keys',
      '~other:* -@all +evalsha +eval +info',
      /^Redis refuses its user .*: NOPERM/,
    ],
  ])('that %s may not', async (what, rights, says) => {
    const user = what.split(' ')[0]!
    await redis.cli(
      'ACL',
      'SETUSER',
      user,
      'on',
      '>pa55word',
      'reset',
      'on',
      '>pa55word',
      ...rights.split(' '),
    )
    expect(
      await checkRedis(linkTo({ url: redis.url.replace('//', `//${user}:pa55word@`) })),
    ).toMatch(says)
  })

  test.each([
    ['TIME', /^this server .*cannot run TIME in a script, which the ledger needs/],
    [
      'HSETNX',
      /^this server \(redis_version \d+\.[\d.]+\) cannot run HSETNX in a script, which the ledger needs \(.+\): use Redis 5 or later, or Valkey$/,
    ],
    ['EVAL', /^this server cannot run the ledger's scripts \(ERR unknown command/],
  ])('that only looks like Redis, without %s, may not', async (command, says) => {
    const other = await startRedis({ args: ['--rename-command', command, ''] })
    expect(await checkRedis(linkTo({ url: other.url }))).toMatch(says)
  })
})

/** The server, with another text in what it says of itself: only INFO is changed, inside the script that it runs. */
function saying(link: RedisConnection, from: string, to: string): RedisConnection {
  const info = `local redis = {pcall = function(name, ...)
    local answer = redis.pcall(name, ...)
    return name == 'INFO' and string.gsub(answer, '${from}', '${to}') or answer
  end}\n`
  return Object.assign(Object.create(link) as RedisConnection, {
    script: (name: string, lua: string) => link.script(name, info + lua),
  })
}

test.each([
  [
    'role:master',
    'role:active-replica',
    'Redis accepts writes beside another server (role:active-replica), so each would have a ledger of its own: use one primary',
  ],
  [
    'role:master',
    'rule:master',
    'Redis does not report its role (INFO replication), so a replica that accepts writes would go unnoticed: use another server',
  ],
  ['role:master', 'role:replica', undefined],
])('a server that says not %s but %s is judged by it', async (from, to, says) => {
  expect(await checkRedis(saying(linkTo({ url: redis.url }), from, to))).toBe(says)
})

describe('a Cluster', () => {
  test.each([
    ['+cluster|slots', '+cluster|slots'],
    ['+cluster|info', '+cluster|info'],
    ['+cluster|slots +cluster|info', '+cluster|slots +cluster|info'],
  ])('whose user lacks %s is refused by that name', async (missing, named) => {
    const only = await startRedis({ args: CLUSTER_ARGS })
    await formCluster([only])
    const rights = documentedUser('acl-cluster').filter(
      (each) => !missing.split(' ').includes(each),
    )
    await only.cli('ACL', 'SETUSER', ...rights)
    const place = {
      cluster: [{ host: '127.0.0.1', port: only.port }],
      username: 'hv',
      password: PASSWORD,
    }
    expect(await checkRedis(linkTo(place, 2))).toBe(
      `127.0.0.1:${only.port}: Redis refuses its user what the ledger needs: allow it ${named}; docs/operate/redis.md, "Cluster", has the whole line`,
    )
  })

  test('that refuses its user is named in the log with what it says', async () => {
    const only = await startRedis({ args: CLUSTER_ARGS })
    await formCluster([only])
    await only.cli('ACL', 'SETUSER', 'hv', 'on', `>${PASSWORD}`, '+ping')
    const { log } = instance({
      cluster: [{ host: '127.0.0.1', port: only.port }],
      username: 'hv',
      password: PASSWORD,
    })
    await eventually(() => expect(log.lines).toHaveLength(1))
    expect(log.lines[0]).toMatch(/NOPERM.*cluster/)
  })
})

describe('another database than the first', () => {
  test('is refused where its user lacks +select: the client would use the first', async () => {
    await redis.cli('ACL', 'SETUSER', ...documentedUser('acl'))
    const url = `redis://hv:${PASSWORD}@127.0.0.1:${redis.port}`
    expect(await checkRedis(linkTo({ url: `${url}/0` }))).toBeUndefined()
    expect(await checkRedis(linkTo({ url: `${url}/2` }))).toMatch('allow it +select;')
  })

  test('is refused where the server has none of that number', async () => {
    const few = await startRedis({ args: ['--databases', '4'] })
    const url = `redis://127.0.0.1:${few.port}`
    expect(await checkRedis(linkTo({ url: `${url}/3` }))).toBeUndefined()
    expect(await checkRedis(linkTo({ url: `${url}/4` }))).toBe(
      'Redis cannot use database 4, which redis.url names: ERR DB index is out of range',
    )
  })
})

test('a right that is missing is named also where the server words it as Redis 8 and Valkey do', async () => {
  const link = linkTo({ url: redis.url })
  const says = "ERR ACL failure in script: User hv has no permissions to run the 'hsetnx' command"
  const refusing = `local redis = {pcall = function(name, ...)
    return name == 'HSETNX' and {err = "${says}"} or redis.pcall(name, ...)
  end}\n`
  const script = (name: string, lua: string) => link.script(name, refusing + lua)
  const other = Object.assign(Object.create(link) as RedisConnection, { script })
  expect(await checkRedis(other)).toMatch('allow it +hsetnx')
})

test('each node of a Cluster is checked and named, also one without slots', async () => {
  const [one, other] = await Promise.all([
    startRedis({ args: CLUSTER_ARGS }),
    startRedis({ args: CLUSTER_ARGS }),
  ])
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
  // A node that does not answer is ignored: the service starts, and the ledger checks again.
  await holder.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  idle.pause()
  closeLater(idle, (it) => it.resume())
  expect(await checkRedis(link)).toBeUndefined()
}, 40_000)
