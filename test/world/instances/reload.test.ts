/**
 * A thousand sites are added by command to a service that is busy: nothing is lost, and every answer is by one policy.
 * A problem in one of their files changes nothing, and is reported in the log, in /ready and by a metric.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { newFolder } from '../../support/close-later.ts'
import { hvProcess } from '../../support/hv.ts'
import { eventually } from '../../support/ledger-contract.ts'
import {
  CONFIG,
  keyringFile,
  ORIGIN,
  SECRET,
  SITEKEY,
  siteWith,
  sleep,
  startService,
} from '../../support/process.ts'
import { BROWSER, post } from '../../support/visitor.ts'
import { type Answer, manyTokens, underLoad } from './crowd.ts'

/** Requests a second. */
const RATE = 300
const folder = newFolder()
const sites = join(folder, 'sites')
const keyring = keyringFile()

/** Two policies of one site: another secret, another threshold. Every answer is by one of them. */
const POLICIES = [
  { secret: SECRET, threshold: 0.11 },
  { secret: `hv_secret_${'policyB2'.repeat(5)}abc`, threshold: 0.22 },
] as const
type Policy = (typeof POLICIES)[number]

/** As `hv` and editors do it: beside the file, and renamed over it. */
function write(name: string, content: object): void {
  writeFileSync(join(sites, `.${name}.new`), JSON.stringify(content, undefined, 1))
  renameSync(join(sites, `.${name}.new`), join(sites, name))
}
const follow = ({ secret, threshold }: Policy) =>
  write('shop.yaml', siteWith(secret, { score_threshold: threshold }))
const verify = (secret: string, response: string) =>
  post(`${service.url}/api/v1/siteverify`, { secret, response })
const issue = (sitekey = SITEKEY, origin = ORIGIN): Promise<Answer> =>
  post(`${service.url}/api/v1/challenge`, { sitekey, action: 'sign-up' }, { ...BROWSER, origin })

/** A line from the n-th on, with this detail too. */
const said = (message: string, from: number, detail: unknown = expect.anything()) =>
  eventually(() => {
    const found = service
      .lines()
      .slice(from)
      .filter((each) => each['message'] === message)
    expect(found).toContainEqual(expect.objectContaining({ detail }))
    return found[0]!
  })

/** Visitors ask 300 times a second until the work is done: none is lost or refused. */
async function busy(work: () => Promise<void>): Promise<void> {
  const answers = await underLoad(RATE, () => issue(), work)
  expect(answers.length).toBeGreaterThan(RATE)
  expect(answers.filter((answer) => answer instanceof Error || answer.status !== 200)).toEqual([])
}

const { sites: _sites, ...others } = CONFIG
const [agent, network] = [join(folder, 'agent.txt'), join(folder, 'network.txt')]
const general = {
  ...others,
  agents: [{ name: 'crawler', ranges: agent }],
  network: { lists: [{ name: 'vpn', kind: 'vpn', file: network }] },
}
mkdirSync(sites)
writeFileSync(join(folder, 'config.yaml'), JSON.stringify(general))
for (const file of [agent, network]) writeFileSync(file, '192.0.2.7\n')
follow(POLICIES[0])
const service = await startService({ at: folder, keyring })

test('adding 1,000 sites under 300 requests a second loses no request, and the new sites work', async () => {
  const list = join(newFolder(), 'customers.txt')
  writeFileSync(
    list,
    Array.from({ length: 1000 }, (_, i) => `shop${i}.example.com *.shop${i}.example.com\n`).join(
      '',
    ),
  )
  let added: { sitekey: string; hostnames: string[] }[] = []
  await busy(async () => {
    // In a separate process: in this one the visitors' connections would wait until the service closes them.
    const { code, out } = await hvProcess([
      'site',
      'add',
      '--from',
      list,
      '--config',
      folder,
      '--json',
    ])
    expect(code).toBe(0)
    added = JSON.parse(out) as typeof added
    await said('sites reloaded', 0, '1001 sites')
  })
  expect(added).toHaveLength(1000)
  for (const { sitekey, hostnames } of [added[0]!, added[500]!, added[999]!])
    expect(await issue(sitekey, `https://${hostnames[0]}`)).toMatchObject({ status: 200 })
}, 180_000)

test('while the configuration changes repeatedly, every verdict follows one version and no request is lost', async () => {
  const tokens = await manyTokens(service.ask, keyring, 90)
  const verdicts: { policy: Policy; answer: Answer }[] = []
  await busy(async () => {
    for (const [turn, response] of tokens.entries()) {
      if (turn % 18 === 0) {
        follow(POLICIES[(turn / 18 + 1) % 2]!)
        service.signal('SIGHUP')
      }
      for (const policy of POLICIES)
        verdicts.push({ policy, answer: await verify(policy.secret, response) })
      await sleep(40)
    }
  })
  // A secret that is not of the policy in force is unknown; one that is, meets that policy's threshold and no other.
  const mixed = verdicts.filter(({ policy, answer: { status, body } }) => {
    const [code] = body['error-codes'] as string[]
    if (status === 400) return code !== 'invalid-input-secret'
    return (
      status !== 200 ||
      (code !== 'timeout-or-duplicate' && body['score_threshold'] !== policy.threshold)
    )
  })
  expect(mixed).toEqual([])
  const accepted = verdicts.filter(({ answer }) => answer.body['success'] === true)
  expect(new Set(accepted.map(({ policy }) => policy.threshold))).toEqual(new Set([0.11, 0.22]))
}, 180_000)

test('a file with an error is not loaded; the log, /ready and a metric report it until it is fixed', async () => {
  const from = service.lines().length
  const before = readdirSync(sites).length
  write('shop7.example.com.yaml', { sitekey: 'hv_site_testshop7', score_threshold: 50 })
  const says: unknown = expect.stringMatching(/sites\/shop7\.example\.com\.yaml:\d+:\d+ /)
  expect(await said('sites not reloaded; the old ones stay in force', from, says)).toMatchObject({
    level: 'error',
  })
  expect((await issue()).status).toBe(200)
  const ready = async () =>
    (await (await fetch(`${service.opsUrl}/ready`)).json()) as { configuration: object }
  const configuration = { sites: before, not_reloaded: { problem: says } }
  expect(await ready()).toMatchObject({ status: 'ok', configuration })
  expect(await (await fetch(`${service.opsUrl}/metrics`)).text()).toMatch(
    /^hv_reloads_total\{what="configuration",outcome="refused"\} [1-9]/m,
  )

  rmSync(join(sites, 'shop7.example.com.yaml'))
  const left = readdirSync(sites).length
  await said('sites reloaded', from, `${left} sites`)
  expect((await ready()).configuration).toEqual({ sites: left, since: expect.any(String) })
})

test('a SIGHUP that finds the same bytes logs it', async () => {
  const from = service.lines().length
  service.signal('SIGHUP')
  const { detail } = await service.line(
    'nothing has changed: the configuration has the same bytes',
    from,
  )
  expect(detail).toBe(`${readdirSync(sites).length} sites`)
}, 30_000)

test('files that the configuration names are reloaded', async () => {
  const from = service.lines().length
  rmSync(agent)
  expect(await service.line('file removed; its entries do not apply', from)).toMatchObject({
    level: 'error',
  })
  writeFileSync(network, '192.0.2.8\n')
  expect(await service.line('file reloaded', from)).toMatchObject({ detail: network })
}, 30_000)

test('settings that need a restart are logged', async () => {
  const from = service.lines().length
  const { limits: _limits, ...rest } = general
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ ...rest, log_level: 'warn' }))
  service.signal('SIGHUP')
  const line = await said('settings that take effect at the next start', from, 'limits, log_level')
  expect(line).toMatchObject({ level: 'warn' })
}, 30_000)
