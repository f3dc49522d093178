/** Shows that the attackers' client is right: a price list of visits that fail for a fault of the client would be worthless. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keyboardUser, mouseUser, oneTap, touchUser } from '../../../lab/attackers/forge.mjs'
import { openStage } from '../../../lab/attackers/stage.mjs'
import { visit } from '../../../lab/attackers/visit.mjs'
import { chrome, phone } from '../../../lab/attackers/wire.mjs'

type Attempt = Parameters<typeof visit>[2]
type Headers = ReturnType<typeof chrome>

const library = (page: string): Headers => [
  ['User-Agent', 'python-requests/2.32.3'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Origin', page],
]

let stage: Awaited<ReturnType<typeof openStage>>
beforeAll(async () => void (stage = await openStage()))
afterAll(() => stage.close())

/** A visit that does everything right, from an address that nobody used before. */
let number = 0
const genuine = (): Attempt => ({
  address: `61.7.${++number}.9`,
  headers: chrome,
  summary: mouseUser,
  patience: 2500,
})
const attempt = (change: Partial<Attempt>) => visit(stage.service, stage.aide, { ...genuine(), ...change })

describe('a visit of the client', () => {
  test.each<{ when: string; change: Partial<Attempt> }>([
    { when: 'it does everything right', change: {} },
    { when: 'it types only', change: { summary: keyboardUser } },
    { when: 'it taps on a phone', change: { headers: phone, summary: touchUser } },
    { when: 'it taps once', change: { headers: phone, summary: oneTap } },
    { when: 'its address is one of IPv6', change: { address: '2001:db8:9::1' } },
    { when: 'its work is that of browsers without a JIT', change: { algorithm: 'pb.1' } },
  ])('is accepted when $when', async ({ change }) => {
    await expect(attempt(change)).resolves.toMatchObject({ accepted: true, code: undefined })
  })

  test.each<{ code: string; when: string; change: Partial<Attempt> }>([
    { code: 'low-score', when: 'it does not answer the proof', change: { proof: 'absent' } },
    { code: 'low-score', when: 'its answers are wrong', change: { proof: 'wrong' } },
    { code: 'low-score', when: 'it shows nothing', change: { summary: () => ({}) } },
    { code: 'low-score', when: 'its headers are of a library', change: { headers: library } },
  ])('is refused with $code when $when', async ({ code, change }) => {
    await expect(attempt(change)).resolves.toMatchObject({ accepted: false, code })
  })

  test('is not worked for when it does not want the challenge', async () => {
    await expect(attempt({ wants: () => false })).resolves.toEqual({ accepted: false, passedOver: true })
  })

  test('is told how long to wait when its address is over its budget', async () => {
    const asked = Array.from({ length: 400 }, () => attempt({ address: '62.9.9.9', wants: () => false }))
    const refused = (await Promise.all(asked)).filter(({ wait }) => wait !== undefined)
    expect(refused.length).toBeGreaterThan(0)
    for (const each of refused) expect(each).toMatchObject({ code: 'rate-limit-exceeded', accepted: false })
    expect(Math.min(...refused.map(({ wait }) => wait ?? 0))).toBeGreaterThan(0)
  })
})
