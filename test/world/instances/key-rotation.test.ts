/** docs/design/threats.md#t28: three steps to a new signing key, under load, and no visitor is refused. */
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { decodeProtectedHeader } from 'jose'
import { unixSeconds } from '../../../src/domain/words.ts'
import { hv } from '../../support/hv.ts'
import { eventually } from '../../support/ledger-contract.ts'
import {
  keyringFile,
  ORIGIN,
  SECRET,
  type ServiceProcess,
  startService,
} from '../../support/process.ts'
import { startRedis } from '../../support/redis.ts'
import { BROWSER, postPatiently, solved } from '../../support/visitor.ts'
import { type Answer, underLoad } from './crowd.ts'

const kidOf = (token: string) => decodeProtectedHeader(token).kid!

/** A visit whose challenge, token and verdict come from these instances. */
async function visit({ ask }: ServiceProcess, issuer: string, minter: string) {
  const { challenge, ...rest } = await solved({ ...ask, base: issuer, patient: true })
  const { body } = await postPatiently(
    `${minter}/api/v1/solve`,
    { challenge, ...rest },
    { ...BROWSER, origin: ORIGIN },
  )
  return { challenge, response: String(body['token']), refused: body['error-codes'] }
}

/** Asks again where the service had no time to judge: of this a key is not the cause. */
const verify = (base: string, response: string) =>
  postPatiently(`${base}/api/v1/siteverify`, {
    secret: SECRET,
    response,
    idempotency_key: randomUUID(),
  })

async function runKeygen(keyring: string, args: string[], laterBy = 0): Promise<string> {
  const now = unixSeconds(Math.floor(Date.now() / 1000) + laterBy)
  const { code, out } = await hv(['keygen', '--keyring', keyring, ...args], { now })
  expect(code).toBe(0)
  return out
}

const kidsIn = (keyring: string): string[] =>
  (JSON.parse(readFileSync(keyring, 'utf8')) as { keys: { kid: string }[] }).keys.map(
    ({ kid }) => kid,
  )

test('a new key replaces the old one in two instances under load, and no visitor is refused', async () => {
  const redis = await startRedis()
  const keyring = keyringFile()
  const env = { HV_REDIS_URL: redis.url }
  const start = () => startService({ keyring, env })
  const services = await Promise.all([start(), start()])
  const urls = services.map(({ url }) => url)
  const [old] = kidsIn(keyring)
  const early = await visit(services[0], urls[0]!, urls[1]!)
  const unspent = await visit(services[0], urls[1]!, urls[0]!)
  expect((await verify(urls[0]!, early.response)).body).toMatchObject({ success: true })
  const kids: string[] = []
  let fresh = ''

  async function visitor(n: number): Promise<Answer['body']> {
    const [here, there] = n % 2 === 0 ? urls : urls.toReversed()
    const { challenge, response, refused } = await visit(services[0], here!, there!)
    kids.push(kidOf(challenge), ...(refused === undefined ? [kidOf(response)] : []))
    return refused === undefined ? (await verify(here!, response)).body : { refused }
  }
  const verdicts = await underLoad(5, visitor, async () => {
    // 1: all instances load the key before any signs with it. Two instances poll the file every second.
    await runKeygen(keyring, ['--active-in', '6s'])
    fresh = kidsIn(keyring)[0]!
    for (const { opsUrl } of services) {
      const metrics = async () => (await fetch(`${opsUrl}/metrics`)).text()
      await eventually(async () =>
        expect(await metrics()).toMatch(
          /^hv_reloads_total\{what="keyring",outcome="taken"\} [1-9]/m,
        ),
      )
    }
    expect(new Set(kids)).toEqual(new Set([old]))

    // 2: it is active, and the old key still verifies until the last visit that began with it has ended.
    await eventually(() => expect(new Set(kids.slice(-20))).toEqual(new Set([fresh])))

    // 3: when nothing of the old key can be accepted any more, the next keygen takes it out.
    const said = await runKeygen(keyring, ['--active-in', '1h'], 2 * 3600)
    expect(said).toContain(`key ${old} removed`)
    expect(kidsIn(keyring)).toHaveLength(2)
    expect(kidsIn(keyring)).not.toContain(old)
    // Tokens of a retired key are invalid (docs/design/threats.md#t28).
    for (const url of urls) {
      await eventually(async () =>
        expect((await verify(url, unspent.response)).body['error-codes']).toEqual([
          'invalid-input-response',
        ]),
      )
    }
  })
  expect(
    verdicts.filter((verdict) => verdict instanceof Error || verdict['success'] !== true),
  ).toEqual([])
  expect(kids.length).toBeGreaterThan(40)
})
