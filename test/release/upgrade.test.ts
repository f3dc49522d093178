/** A rolling upgrade by the packages of two releases, behind one haproxy and on one Redis: docs/operate/upgrades.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { obtainToken } from '../../src/doctor/visitor.ts'
import { newFolder } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import {
  CONFIG,
  SECRET,
  type ServiceProcess,
  siteWith,
  SITEKEY,
  sleep,
  startService,
} from '../support/process.ts'
import { startHaproxy } from '../support/proxies.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { ROOT } from '../support/root.ts'
import { underLoad } from '../world/instances/crowd.ts'
import { makeRelease, output, released } from './stranger.ts'

const PAGE = { origin: 'https://shop.example.com', sitekey: SITEKEY, action: 'sign-up' }
/** Made by the earlier release, as in an upgrade. */
let keyring = ''
const git = (...args: string[]) => output('git', args, { cwd: ROOT }).trim()

/** Installs packages from their files. @returns the program. */
function installed(tarballs: readonly string[]): string {
  const folder = newFolder()
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  output('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs], {
    cwd: folder,
  })
  return join(folder, 'node_modules/@human-verification/server/dist/main.js')
}

/** Packs and installs an earlier commit by its own lock file and build. */
function earlier(commit: string): string {
  const folder = newFolder()
  output('sh', ['-c', `git archive ${commit} | tar -x -C ${folder}`], { cwd: ROOT })
  output('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder })
  const out = join(folder, 'packed')
  mkdirSync(out)
  for (const which of [[], ['--workspace=packages/client']])
    output('npm', ['pack', '--ignore-scripts', '--pack-destination', out, ...which], {
      cwd: folder,
    })
  return installed(
    output('sh', ['-c', `ls ${out}/*.tgz`])
      .trim()
      .split('\n'),
  )
}

/**
 * The last release; until there is one, the commit of the day before. Where that one cannot be mixed with today's, which
 * only a release may not do without saying so, the newest commit before this one.
 */
const tag = git('tag', '--list', 'v*', '--sort=-creatordate', '--no-contains', 'HEAD').split(
  '\n',
)[0]!
const dayBefore = () =>
  git('rev-list', '-1', `--before=${Number(git('log', '-1', '--format=%ct')) - 86_400}`, 'HEAD')
const candidates = tag === '' ? [dayBefore(), git('rev-parse', 'HEAD~1')] : [tag]

let redis: TestRedis
let today = ''
let before = ''
beforeAll(async () => {
  makeRelease('packages')
  today = installed(released(/\.tgz$/))
  for (const commit of candidates) {
    redis = await startRedis()
    before = earlier(commit)
    keyring = join(newFolder(), 'keyring.json')
    output(process.execPath, [before, 'keygen', '--keyring', keyring])
    const problem = await mixed().catch(({ message }: Error) => message)
    const name = `${tag || 'no release yet; commit'} ${git('log', '-1', '--format=%h %cs %s', commit)}`
    process.stderr.write(
      `${name}: ${problem === '' ? 'may' : `may not (${problem})`} be mixed with today's\n`,
    )
    if (problem === '') return
  }
  throw new Error('neither may be mixed with today’s: docs/operate/upgrades.md promises the first')
}, 1_800_000)

async function serve(program: string, port?: number): Promise<ServiceProcess> {
  const sites = [siteWith(SECRET, { score_threshold: 0 })]
  const config = {
    ...CONFIG,
    listen: `127.0.0.1:${port ?? (await freePort())}`,
    redis: { url: redis.url },
    sites,
  }
  return startService({ program, config, keyring })
}

const tokenOf = (url: string) => obtainToken(new URL(url), PAGE)
async function verify(url: string, response: string): Promise<string> {
  const body = new URLSearchParams({ secret: SECRET, response, action: 'sign-up' })
  const res = await fetch(`${url}/api/v1/siteverify`, { method: 'POST', body })
  const verdict = (await res.json()) as { success: boolean; 'error-codes': string[] }
  return verdict.success ? 'accepted' : `${res.status} ${verdict['error-codes'].join()}`
}

/** What keeps the two releases from running side by side: each judges tokens of the other, and knows those that it has judged. */
async function mixed(): Promise<string> {
  const [one, other] = await Promise.all([serve(before), serve(today)])
  for (const [giver, taker] of [
    [one, other],
    [other, one],
  ] as const) {
    const response = await tokenOf(giver.url)
    const verdicts = [await verify(taker.url, response), await verify(giver.url, response)].join(
      ', ',
    )
    if (verdicts !== `accepted, ${USED}`) return verdicts
  }
  await Promise.all([one.stop(), other.stop()])
  return ''
}
const USED = '200 timeout-or-duplicate'

test('one instance after the other is replaced under load: no request fails, no token counts twice, no visitor is lost', async () => {
  const services = await Promise.all([serve(before), serve(before)])
  const proxy = await startHaproxy(services.map(({ url }) => url))
  const begun: number[] = []
  const visitors = async (count: number) => {
    const until = begun.length + count
    while (begun.length < until) await sleep(20)
  }
  const visit = async (n: number) => {
    begun.push(n)
    const response = await tokenOf(proxy.url)
    // As a form that is sent a moment later: by whichever release then answers.
    await sleep(500)
    return [
      await verify(proxy.url, response),
      ...(await Promise.all([1, 2].map(() => verify(proxy.url, response)))),
    ]
  }
  const visits = await underLoad(3, visit, async () => {
    for (const service of services) {
      await visitors(20)
      expect(await service.stop()).toBe(0)
      const { url } = await serve(today, Number(new URL(service.url).port))
      expect(url).toBe(service.url)
    }
    await visitors(20)
  })
  expect(visits.map(String).filter((each) => each !== `accepted,${USED},${USED}`)).toEqual([])
}, 240_000)
