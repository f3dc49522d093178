import { expect, test } from '@jest/globals'
import { SIGNALS } from '../../src/score/signals.ts'
import { SECRET } from '../support/app.ts'
import { BROWSER, post, solved, token, work } from '../support/visitor.ts'
import { begin, inChromium, on } from './stage.ts'

/** Without a browser, whatever a script says of the visit, its token falls below 0.5. */
inChromium(() => begin())

type Summary = Record<string, object>

/** What a visitor's browser handed in, and with which headers. */
async function recorded(): Promise<{ summary: Summary; headers: Record<string, string>; score: number }> {
  await on.page.goto(on.customer.url)
  await on.page.getByLabel('Email').pressSequentially('ada@example.com', { delay: 20 })
  await on.page.getByText('Send').click()
  await on.received(1)
  const request = on.calls('solve')[0]!
  const headers = Object.fromEntries(
    Object.entries(await request.allHeaders()).filter(
      ([name]) => !/^(host|content-|connection|accept-encoding|:)/.test(name),
    ),
  )
  const signals = new URLSearchParams(request.postData()!).get('signals')!
  return { summary: JSON.parse(signals) as Summary, headers, score: scores()[0]! }
}

const decisions = () =>
  on.service
    .lines()
    .flatMap(({ decision }) =>
      decision === undefined ? [] : [decision as { score: number; contributions: { name: string }[] }],
    )
const scores = (): number[] => decisions().map(({ score }) => score)
const namesOf = (index: number): string[] => decisions()[index]!.contributions.map(({ name }) => name)

/** Honest work of a script, with another's headers and whatever it says of the visit. */
async function forge(signals: object, headers: Record<string, string>): Promise<number> {
  const ask = { base: on.service.base, sitekey: on.service.ask.sitekey, origin: new URL(on.customer.url).origin }
  const response = await token({ ...ask, signals, headers: { ...BROWSER, ...headers } })
  const { body } = await post(`${on.service.base}/api/v1/siteverify`, { secret: SECRET, response, action: 'sign-up' })
  return Number(body['score'])
}

test('a browser answers the whole proof while the form is filled in', async () => {
  const { summary } = await recorded()
  expect(summary['proof']).toHaveLength(3)
  expect(namesOf(0).filter((name) => name.startsWith('proof'))).toEqual([])
  expect(JSON.stringify(summary).length).toBeLessThan(2048)
})

test('a recorded summary, replayed by a script with the recorded headers, scores below 0.5: its proof is of another challenge', async () => {
  const { summary, headers } = await recorded()
  // Driven by us, it shows so: the best of it is replayed.
  const best = { ...summary, automation: {} }
  expect(await forge(best, headers)).toBeLessThan(0.5)
  expect(namesOf(1)).toContain('proof-wrong')
  const { proof: _, ...without } = best as Summary & { proof?: unknown }
  expect(await forge(without, headers)).toBeLessThan(0.5)
  expect(namesOf(2)).toContain('proof-missing')
})

test('every signal at its best, alone and all together, with a made-up proof, scores below 0.5', async () => {
  const { summary, headers } = await recorded()
  const most = Object.fromEntries(
    Object.entries(SIGNALS).map(([family, signals]) => [
      family,
      Object.fromEntries(Object.entries(signals).map(([name, { max }]) => [name, family === 'automation' ? 0 : max])),
    ]),
  )
  const proof = (summary['proof'] as unknown as number[][]).map((list) => list.map(() => 1))
  for (const signals of [
    {},
    { ...summary, ...most, proof },
    { ...most, proof: [] },
    { input: { trusted: 999, coalesced: 99 } },
  ])
    expect(await forge(signals, headers)).toBeLessThan(0.5)
})

test('a client that does not name the proof in its request is not spared it', async () => {
  const { summary, headers } = await recorded()
  const origin = new URL(on.customer.url).origin
  const { body } = await post(
    `${on.service.base}/api/v1/challenge`,
    { sitekey: on.service.ask.sitekey, action: 'sign-up' },
    { ...BROWSER, ...headers, origin },
  )
  expect(Object.keys(body)).not.toContain('proof')
  const fields = {
    challenge: String(body['challenge']),
    solution: work(String(body['challenge']), body['work'] as never),
    signals: JSON.stringify({ ...summary, automation: {} }),
  }
  const answer = await post(`${on.service.base}/api/v1/solve`, fields, { ...BROWSER, ...headers, origin })
  expect(answer.status).toBe(200)
  expect(scores().at(-1)).toBeLessThan(0.5)
  expect(namesOf(1)).toContain('proof-missing')
})

test('the tasks of one challenge answered for another are wrong, and the signed version cannot be taken out', async () => {
  const ask = { ...on.service.ask, origin: new URL(on.customer.url).origin }
  const [one, other] = [await solved(ask), await solved(ask)]
  const origin = ask.origin
  const crossed = { ...one, signals: other.signals }
  expect((await post(`${ask.base}/api/v1/solve`, crossed, { ...BROWSER, origin })).status).toBe(200)
  expect(namesOf(0)).toContain('proof-wrong')

  const [header, claims, signature] = other.challenge.split('.') as [string, string, string]
  const { prf, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
  expect(prf).toBe(1)
  const without = `${header}.${Buffer.from(JSON.stringify(rest)).toString('base64url')}.${signature}`
  const refused = await post(`${ask.base}/api/v1/solve`, { ...other, challenge: without }, { ...BROWSER, origin })
  expect(refused.body['error-codes']).toEqual(['invalid-input-challenge'])
})
