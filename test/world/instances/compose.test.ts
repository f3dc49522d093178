/** docker-compose.yml as real processes on this machine: no Docker, the same arguments, environment and files. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { parse } from 'yaml'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { closeLater, newFolder } from '../../support/close-later.ts'
import { ask, exchange, NAVIGATION, startGate } from '../../support/gate.ts'
import { eventually } from '../../support/ledger-contract.ts'
import { freePort } from '../../support/ports.mjs'
import { CONFIG, startService } from '../../support/process.ts'
import { needProgram } from '../../support/programs.mjs'
import { startHaproxy } from '../../support/proxies.ts'
import { listening, startRedis, type TestRedis } from '../../support/redis.ts'
import { ROOT } from '../../support/root.ts'
import { startSentinels } from '../../support/sentinel.ts'
import { post, token } from '../../support/visitor.ts'
import { documentedUser } from '../store/secured.ts'
import { manyTokens } from './crowd.ts'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, { command: string[]; entrypoint: string[] }>
}
/** Replaces the user without permissions, so that the test can look into Redis. */
const OPERATOR = 'operator'
/** The two volumes that the service `keys` fills, as folders. */
const volumes = { keys: newFolder(), redis: newFolder() }
const contentOf = (folder: 'keys' | 'redis', file: string): string =>
  readFileSync(join(volumes[folder], file), 'utf8')
const password = (): string => contentOf('keys', 'redis-password').trim()

/** Runs the service `keys`, as each `docker compose up` does. */
function fillVolumes(): void {
  const [program, script] = services['keys']!.entrypoint
  expect(program).toBe('node')
  const env = { PATH: process.env['PATH'] ?? '', HV_KEYS: volumes.keys, HV_REDIS: volumes.redis }
  execFileSync(process.execPath, [join(ROOT, script!.replace('/etc/hv/', 'deploy/compose/'))], {
    cwd: ROOT,
    env,
  })
  appendFileSync(join(volumes.redis, 'users.acl'), `user ${OPERATOR} on nopass ~* &* +@all\n`)
  appendFileSync(join(volumes.redis, 'sentinel.conf'), `user ${OPERATOR} on nopass &* +@all\n`)
}

fillVolumes()

/** One Redis of the file. In its network the primary is called redis and has its usual port. */
async function startRedisOf(
  service: 'redis' | 'redis-replica',
  primaryPort = 6379,
): Promise<TestRedis> {
  const [program, ...shipped] = services[service]!.command
  expect(program).toBe('redis-server')
  const args = shipped.map((each) => each.replace(/^\/redis\//, `${volumes.redis}/`))
  const primary = args.indexOf('--replicaof')
  if (primary >= 0) args.splice(primary + 1, 2, '127.0.0.1', String(primaryPort))
  return startRedis({ args, operator: OPERATOR })
}

/**
 * Two replicas of `verify` behind the balancer, with a configuration of deploy/compose but for what this machine is
 * different in: the addresses, and one machine that plays many visitors (limits and work).
 *
 * @param at ports of Redis, or of the three Sentinels.
 * @param threshold for every action of the site, instead of those of the file.
 */
async function startVerify(
  file: 'config.yaml' | 'sentinel.yaml',
  at: readonly number[],
  threshold?: number,
) {
  const text = read(`deploy/compose/${file}`)
    .replaceAll('/keys/', `${volumes.keys}/`)
    .replace('redis:6379', `127.0.0.1:${at[0]}`)
    .replaceAll(/sentinel-(\d):26379/g, (_, n: string) => `127.0.0.1:${at[Number(n) - 1]}`)
  const { sites, ...shipped } = parse(text) as { keyring: string; sites: object[] }
  const site = { ...sites[0], work: { level: 0, max_level: 0 } }
  // For a visitor without a browser.
  if (threshold !== undefined)
    Object.assign(site, { score_threshold: threshold, actions: ['gate', 'gate-pressed'] })
  const config = {
    ...shipped,
    trusted_proxies: ['127.0.0.1/32'],
    limits: CONFIG.limits,
    sites: [site],
  }
  const variables = /^ENV (HV_CONFIG=.*)$/m.exec(read('Dockerfile'))![1]!.split(' ')
  const listens = Object.fromEntries(variables.map((each) => each.split('=') as [string, string]))
  const replicas = await Promise.all(
    [1, 2].map(async () => {
      const env: Record<string, string> = { NODE_ENV: 'production' }
      for (const name of ['HV_LISTEN', 'HV_OPS_LISTEN'])
        env[name] = listens[name]!.replace(/\d+$/, String(await freePort()))
      const process = await startService({ config, keyring: config.keyring, env })
      return { process, url: process.url.replace('0.0.0.0', '127.0.0.1') }
    }),
  )
  const balancer = await startHaproxy(replicas.map(({ url }) => url))
  const { prove } = replicas[0]!.process.ask
  const whom = {
    base: balancer.url,
    sitekey: DEMO_SITEKEY,
    origin: 'http://localhost',
    prove,
    patient: true,
  }
  return { replicas, base: balancer.url, whom, keyring: config.keyring }
}
const verify = async (base: string, response: string) =>
  (await post(`${base}/api/v1/siteverify`, { secret: DEMO_SECRET, response })).body
const ACCEPTED = { success: true }
const DUPLICATE = { success: false, 'error-codes': ['timeout-or-duplicate'] }

test('default: visitors are served through the balancer, each token is accepted once, and only the service uses Redis', async () => {
  const redis = await startRedisOf('redis')
  const { replicas, base, whom } = await startVerify('config.yaml', [redis.port])
  for (let i = 0; i < 6; i++) {
    const response = await token(whom)
    const answers = await Promise.all([0, 1, 2, 3].map(() => verify(base, response)))
    expect(answers.filter((body) => body['success'] === true)).toHaveLength(1)
    expect(answers.filter((body) => body['success'] === false)).toEqual([
      DUPLICATE,
      DUPLICATE,
      DUPLICATE,
    ])
  }
  // Nothing was refused, and there are no other visitors.
  expect(await redis.cli('ACL', 'LOG')).toEqual([])
  const clients = String(await redis.cli('CLIENT', 'LIST'))
  const users = [...clients.matchAll(/ user=(\S+)/g)].map(([, user]) => user)
  expect(new Set(users)).toEqual(new Set(['hv', OPERATOR]))
  for (const { process } of replicas) expect(process.said()).not.toContain(password())
})

test('profile gate: nginx shows its site to a visitor with a clearance, and asks for a press before a costly page', async () => {
  const redis = await startRedisOf('redis')
  const { base, whom } = await startVerify('config.yaml', [redis.port], 0)
  const file = join(newFolder(), 'hv-gate.yaml')
  const shipped = read('deploy/compose/gate/hv-gate.yaml')
    .replaceAll('/keys/', `${volumes.keys}/`)
    .replace('http://127.0.0.1:8080', base)
    .replace('"[::]:8090"', '127.0.0.1:0')
    .replace('172.30.88.0/24', '127.0.0.1')
  writeFileSync(file, `${shipped}ops_listen: 127.0.0.1:0\n`)
  const gate = await startGate(file)
  const [port, sitePort] = [await freePort(), await freePort()]
  const folder = newFolder()
  const text = read('deploy/compose/gate/nginx.conf')
    .replaceAll('/tmp/', `${folder}/`)
    .replace('/srv/site', join(ROOT, 'deploy/compose/gate/site'))
    .replace('balancer:8090', gate.host)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${sitePort}`)
    .replaceAll('listen 8088', `listen 127.0.0.1:${port}`)
  writeFileSync(join(folder, 'nginx.conf'), process.getuid?.() === 0 ? `user root;\n${text}` : text)
  const nginx = spawn(
    needProgram('nginx'),
    ['-c', join(folder, 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off;'],
    { stdio: 'ignore' },
  )
  const ended = once(nginx, 'exit')
  closeLater(nginx, async (it) => {
    it.kill('SIGTERM')
    await ended
  })
  await listening(port)
  const url = `http://127.0.0.1:${port}`
  const [first, elsewhere] = [await ask(url, '/', NAVIGATION), await ask(url, '/', { ...NAVIGATION, host: 'shop.example.com' })] // prettier-ignore
  expect([first.status, elsewhere.status]).toEqual([403, 421])
  expect(first.body).toContain('/.hv/gate.js')
  const { cookie } = await exchange(url, await token({ ...whom, action: 'gate', origin: url }))
  const shown = await ask(url, '/', { ...NAVIGATION, cookie })
  expect([shown.status, shown.body]).toEqual([200, read('deploy/compose/gate/site/index.html')])
  expect((await ask(url, '/search.html', { ...NAVIGATION, cookie })).status).toBe(403)
})

test('each user of Redis may do what docs/operate/redis.md lists for it, and nothing else', async () => {
  const { port } = await startRedisOf('redis')
  /** @returns the answers, or the first word of each error. */
  async function as(user: { username?: string; password?: string }, ...commands: string[]) {
    const client = new Redis({
      port,
      protocol: 2,
      disableClientInfo: true,
      enableReadyCheck: false,
      ...user,
    })
    const asked = commands
      .map((command) => command.split(' '))
      .map(([name, ...args]) => client.call(name!, ...args))
    const answers = await Promise.all(
      asked.map((each) => each.catch((error: Error) => error.message.split(' ')[0])),
    )
    client.disconnect()
    return answers
  }
  for (const [kind, file] of [
    ['acl', 'users.acl'],
    ['acl-sentinel', 'sentinel.conf'],
  ] as const) {
    const [user, , , ...rights] = documentedUser(kind)
    const line = contentOf('redis', file)
      .split('\n')
      .find((each) => each.startsWith(`user ${user} `))
    expect(line).toMatch(/^user \S+ on #[0-9a-f]{64} /)
    expect(line!.split(' ').slice(4)).toEqual(rights)
  }
  const forbidden = ['FLUSHALL', 'KEYS *', 'CONFIG GET *', 'GET {hv}:x', 'GET other', 'ACL LIST']
  const answers = await as({ username: 'hv', password: password() }, 'PING', ...forbidden)
  expect(answers).toEqual(['PONG', ...forbidden.map(() => 'NOPERM')])
  expect(await as({}, 'PING', 'GET {hv}:gen')).toEqual(['NOAUTH', 'NOAUTH'])
  const health = { username: 'health', password: 'health' }
  expect(await as(health, 'PING', 'INFO', 'GET {hv}:gen')).toEqual(['PONG', 'NOPERM', 'NOPERM'])
})

test('the next start reuses keys and passwords; only their owner can read them, and Redis stores hashes', () => {
  const files = [
    'keyring.json',
    'redis-password',
    'replica-password',
    'sentinel-password',
    'gate-key.json',
    'gate-secret',
  ]
  const before = files.map((file) => contentOf('keys', file))
  fillVolumes()
  expect(files.map((file) => contentOf('keys', file))).toEqual(before)
  for (const file of files) expect(statSync(join(volumes.keys, file)).mode & 0o777).toBe(0o600)
  // Three passwords, not one thrice.
  expect(new Set(before).size).toBe(files.length)
  for (const one of before.slice(1, 4))
    expect(contentOf('redis', 'users.acl')).not.toContain(one.trim())
  for (const file of ['redis.conf', 'sentinel.conf'])
    expect(contentOf('redis', file)).not.toContain(password())
})

test('profile sentinel: after the loss of the primary, new tokens work in the stated time and older ones are refused', async () => {
  const primary = await startRedisOf('redis')
  const replica = await startRedisOf('redis-replica', primary.port)
  const replicaSays = (text: string) =>
    eventually(async () => expect(await replica.cli('INFO', 'replication')).toMatch(text), 20_000)
  await replicaSays('master_link_status:up')
  const sentinels = await startSentinels({
    primary: { host: '127.0.0.1', port: primary.port },
    replicas: 1,
    // As the entrypoint of a Sentinel joins it.
    file: read('deploy/compose/sentinel.conf') + contentOf('redis', 'sentinel.conf'),
    operator: OPERATOR,
  })
  const ports = sentinels.nodes.map((node) => Number(node.split(':')[1]))
  const { replicas, base, whom, keyring } = await startVerify('sentinel.yaml', ports)
  const [spent = '', ...unspent] = await manyTokens(whom, keyring, 5)
  expect(await verify(base, spent)).toMatchObject(ACCEPTED)

  await primary.stop()
  await replicaSays('role:master')
  const since = performance.now()
  const works = (at: string) =>
    eventually(async () =>
      expect(await verify(at, await token({ ...whom, base: at }))).toMatchObject(ACCEPTED),
    )
  // docs/operate/redis.md: within 3 s of the promotion; the balancer looks at each instance once a second.
  for (const { url } of replicas) await works(url)
  expect(performance.now() - since).toBeLessThan(3000)
  await works(base)
  expect(performance.now() - since).toBeLessThan(5000)

  // What was issued under the lost primary is refused, spent or not: its entries may be gone.
  for (const response of [spent, ...unspent])
    for (const { url } of replicas) expect(await verify(url, response)).toEqual(DUPLICATE)
  const fresh = await token(whom)
  expect(await verify(replicas[0]!.url, fresh)).toMatchObject(ACCEPTED)
  expect(await verify(replicas[1]!.url, fresh)).toEqual(DUPLICATE)
}, 120_000)
