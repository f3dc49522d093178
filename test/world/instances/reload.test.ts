/**
 * A thousand sites are added by command to a service that is busy: nothing is lost, and every answer is by one policy.
 * A problem in one of their files changes nothing, and is told in the log, in /ready and by a metric.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '../../support/ledger-contract.ts'
import { ORIGIN, type ServiceProcess, SITEKEY, sleep, startService } from '../../support/process.ts'
import { type Ask, type Seen, startLoad } from '../../support/load.ts'
import { BROWSER } from '../../support/visitor.ts'
import { type Answer, type Crowd, crowd } from './crowd.ts'

const PROGRAM = join(import.meta.dirname, '../../../dist/main.js')
/** Requests a second. */
const RATE = 300
/** Fewer than the service refuses any of for its own lateness, however busy the machine is: one that fails, a reload has lost. */
const CONNECTIONS = 50
const folder = mkdtempSync(join(tmpdir(), 'hv-reload-'))
const sites = join(folder, 'sites')
let service: ServiceProcess
let many: Crowd
/** Customers' servers, who do not stand in the visitors' queue. */
let customers: Crowd

/** Two policies of one site: another secret, another threshold, another action. Every answer is by one of them. */
const POLICIES = [
  { secret: `hv_secret_${'policyA1'.repeat(5)}abc`, threshold: 0.11, action: 'action-a' },
  { secret: `hv_secret_${'policyB2'.repeat(5)}abc`, threshold: 0.22, action: 'action-b' },
] as const
const LIMIT = '1000000 per 1m'

/** As `hv` and editors do it: beside the file, and renamed over it. */
function write(name: string, text: string): void {
  writeFileSync(join(sites, `.${name}.new`), text)
  renameSync(join(sites, `.${name}.new`), join(sites, name))
}
function follow({ secret, threshold }: (typeof POLICIES)[number]): void {
  const sha256 = createHash('sha256').update(secret).digest('hex')
  write(
    'shop.yaml',
    `sitekey: ${SITEKEY}\nsecrets: [{sha256: ${sha256}}]\nhostnames: [shop.example.com]\nscore_threshold: ${threshold}\ntoken_lifetime: 600s\nwork: {level: 0, max_level: 0}\n`,
  )
}
/** Follows a policy, and waits until it is in force. */
async function put(policy: (typeof POLICIES)[number]): Promise<void> {
  follow(policy)
  service.signal('SIGHUP')
  const asked = { secret: policy.secret, response: 'not-a-token' }
  while ((await customers.post(`${service.url}/api/v1/siteverify`, asked)).status !== 200) await sleep(50)
}
async function hv(args: readonly string[], input = ''): Promise<{ code: number; out: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number]
  return { code, out }
}
const issue = (sitekey = SITEKEY, origin = ORIGIN): Promise<Answer> =>
  many.post(`${service.url}/api/v1/challenge`, { sitekey, action: 'sign-up' }, { ...BROWSER, origin })

/** A line from the n-th on, with this detail too. */
const said = (message: string, from: number, detail?: string): Promise<Record<string, unknown>> =>
  eventually(() => {
    const found = service
      .lines()
      .slice(from)
      .find((each) => each['message'] === message && (detail === undefined || each['detail'] === detail))
    if (!found) throw new Error(`no line "${message}"`)
    return found
  })

/** Callers ask 300 times a second until the work is done. @returns every answer that was not 200, and what got none. */
async function underLoad(asks: readonly Ask[], work: () => Promise<void>): Promise<readonly Seen[]> {
  const load = startLoad(service.url, RATE, asks, CONNECTIONS)
  await work().catch(async (error: unknown) => {
    await load.stop()
    throw error
  })
  const asked = load.asked()
  const seen = await load.stop()
  expect(asked).toBeGreaterThan(RATE)
  expect(seen.length).toBeGreaterThanOrEqual(asked)
  return seen.filter(({ status }) => status !== 200)
}
const CHALLENGE: Ask = {
  path: '/api/v1/challenge',
  fields: { sitekey: SITEKEY, action: 'sign-up' },
  headers: { ...BROWSER, origin: ORIGIN },
}

beforeAll(async () => {
  mkdirSync(sites)
  const limits = `{challenge: ${LIMIT}, solve: ${LIMIT}, siteverify: ${LIMIT}, junk: ${LIMIT}, invalid_secret: ${LIMIT}}`
  writeFileSync(
    join(folder, 'config.yaml'),
    `version: 1\nlisten: 127.0.0.1:0\nops_listen: 127.0.0.1:0\nlimits: ${limits}\n`,
  )
  follow(POLICIES[0])
  service = await startService({ at: folder })
  many = crowd(4)
  customers = crowd(4)
}, 60_000)
afterAll(async () => {
  await many.close()
  await customers.close()
  await service.kill()
  rmSync(folder, { recursive: true, force: true })
})

test('1,000 sites are added by command under 300 requests a second: none is lost, and the new ones work', async () => {
  const list = Array.from({ length: 1000 }, (_, i) => `shop${i}.example.com *.shop${i}.example.com\n`).join('')
  const wanted = `${readdirSync(sites).length + 1000} sites`
  let added: { sitekey: string; secret: string; hostnames: string[] }[] = []
  await put(POLICIES[0])
  // A spent token is answered with 200 all the way from the secret to the ledger.
  const [response = ''] = await customers.tokens(service.ask, 1)
  const fields = { secret: POLICIES[0].secret, response }
  await customers.post(`${service.url}/api/v1/siteverify`, fields)
  const wrong = await underLoad([CHALLENGE, { path: '/api/v1/siteverify', fields }], async () => {
    const { code, out } = await hv(['site', 'add', '--from', '-', '--config', folder, '--json'], list)
    expect(code).toBe(0)
    added = JSON.parse(out) as typeof added
    await said('sites reloaded', 0, wanted)
  })
  expect(wrong).toEqual([])
  expect(added).toHaveLength(1000)
  for (const { sitekey, hostnames } of [added[0]!, added[500]!, added[999]!]) {
    expect(await issue(sitekey, `https://${hostnames[0]}`)).toMatchObject({ status: 200 })
  }
}, 180_000)

test('while the policy changes again and again, every verdict is by one policy, and no request is lost', async () => {
  await put(POLICIES[0])
  const tokens = await customers.tokens(service.ask, 90)
  const verdicts: { asked: (typeof POLICIES)[number]; answer: Answer }[] = []
  const wrong = await underLoad([CHALLENGE], async () => {
    for (const [turn, response] of tokens.entries()) {
      if (turn % 18 === 0) {
        follow(POLICIES[(turn / 18 + 1) % 2]!)
        service.signal('SIGHUP')
      }
      for (const asked of POLICIES) {
        const answer = await customers.post(`${service.url}/api/v1/siteverify`, { secret: asked.secret, response })
        verdicts.push({ asked, answer })
      }
      await sleep(40)
    }
  })
  expect(wrong).toEqual([])
  // A secret that is not of the policy in force is unknown; one that is, meets that policy's threshold and no other.
  const mixed = verdicts.filter(({ asked, answer: { status, body } }) => {
    const [code] = body['error-codes'] as string[]
    if (status === 400) return code !== 'invalid-input-secret'
    return status !== 200 || (code !== 'timeout-or-duplicate' && body['score_threshold'] !== asked.threshold)
  })
  expect(mixed).toEqual([])
  const judgedBy = new Set(
    verdicts.filter(({ answer }) => answer.body['success'] === true).map(({ asked }) => asked.threshold),
  )
  expect(judgedBy).toEqual(new Set([0.11, 0.22]))
}, 180_000)

test('a problem in one file keeps the old policy; the log, /ready and a metric say what and where, until it is fixed', async () => {
  const from = service.lines().length
  const before = readdirSync(sites).length
  write('shop7.example.com.yaml', 'sitekey: hv_site_testshop7\nscore_threshold: 50\n')
  const line = await said('sites not reloaded; the old ones stay in force', from)
  const says = /sites\/shop7\.example\.com\.yaml:\d+:\d+ /
  expect(line).toMatchObject({ level: 'error', detail: expect.stringMatching(says) })
  expect((await issue()).status).toBe(200)
  const ready = await fetch(`${service.opsUrl}/ready`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({
    status: 'ok',
    configuration: { sites: before, not_reloaded: { problem: expect.stringMatching(says) } },
  })
  expect(await (await fetch(`${service.opsUrl}/metrics`)).text()).toMatch(
    /^hv_reloads_total\{what="configuration",outcome="refused"\} [1-9]/m,
  )

  rmSync(join(sites, 'shop7.example.com.yaml'))
  const left = readdirSync(sites).length
  await said('sites reloaded', from, `${left} sites`)
  const answer = (await (await fetch(`${service.opsUrl}/ready`)).json()) as { configuration: object }
  expect(answer.configuration).toEqual({ sites: left, since: expect.any(String) })
}, 60_000)

test('settings that take effect at the next start are named', async () => {
  const from = service.lines().length
  writeFileSync(
    join(folder, 'config.yaml'),
    `version: 1\nlisten: 127.0.0.1:0\nops_listen: 127.0.0.1:0\nlog_level: warn\n`,
  )
  service.signal('SIGHUP')
  const line = await said('settings that take effect at the next start', from)
  expect(line).toMatchObject({ level: 'warn', detail: 'limits, log_level' })
}, 30_000)
