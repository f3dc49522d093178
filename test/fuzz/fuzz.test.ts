/** Almost genuine input crashes nothing, hangs nothing, and is answered as documented. */
import { expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkConfig } from '../../src/settings/load.ts'
import { ConfigError } from '../../src/settings/problem.ts'
import { bytesOf, send } from '../support/raw.ts'
import { undocumented } from '../support/documented.ts'
import { leaks } from '../support/leaks.ts'
import { ORIGIN, SECRET, type ServiceProcess, SITEKEY, startService } from '../support/process.ts'
import { BROWSER, post, solved } from '../support/visitor.ts'
import { pass } from '../support/pass.ts'
import { type Dice, dice } from './dice.ts'
import { bodyOf, damage, type Draft, mutate } from './mutate.ts'

const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 20)
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** Milliseconds that any answer may take. docs/design/threats.md, "Promises". */
const HANG = 2000
const AT_ONCE = 16
const config = readdirSync(join(import.meta.dirname, '../rooms/settings/good')).map((name) =>
  readFileSync(join(import.meta.dirname, '../rooms/settings/good', name), 'utf8'),
)
/** Of each, however slow the machine is. */
const LEAST = 200
const until = (share: number): number => Date.now() + SECONDS * 1000 * share

/** Genuine requests of all operations; solving one takes work, so they are used many times. */
async function genuineDrafts({ ask }: ServiceProcess): Promise<Draft[]> {
  const page = [['Origin', ORIGIN], ...Object.entries(BROWSER)] as const
  const draft = (operation: Draft['operation'], fields: object, headers: Draft['headers'] = page): Draft => ({
    operation,
    method: operation === 'health' ? 'GET' : 'POST',
    path: operation === 'health' ? '/health' : `/api/v1/${operation}`,
    headers,
    fields: Object.entries(fields),
    as: 'form',
  })
  const body = await solved({ ...ask, cdata: 'basket-7' })
  const minted = await post(`${ask.base}/api/v1/solve`, body, { ...BROWSER, origin: ORIGIN })
  // Of a visit that shows nothing: refused, with a ticket.
  const thin = await post(
    `${ask.base}/api/v1/solve`,
    { ...(await solved(ask)), signals: '{}' },
    { ...BROWSER, origin: ORIGIN },
  )
  const refusal = await post(`${ask.base}/api/v1/siteverify`, { secret: SECRET, response: String(thin.body['token']) })
  const ticket = refusal.body['step_up']
  const vouched = await pass({ hostname: new URL(ORIGIN).hostname })
  const verify = { secret: SECRET, response: minted.body['token'], remoteip: '127.0.0.1', action: 'sign-up' }
  return [
    draft('challenge', { sitekey: SITEKEY, action: 'sign-up', cdata: 'basket-7' }),
    draft('solve', body),
    draft('solve', await solved(ask)),
    draft('solve', await solved(ask)),
    draft('challenge', { sitekey: SITEKEY, action: 'sign-up', ticket }),
    draft('solve', { ...(await solved(ask)), ticket, step_up: '1' }),
    draft('siteverify', { secret: SECRET, response: vouched }, []),
    draft('siteverify', verify, []),
    draft('siteverify', { ...verify, idempotency_key: '018f4e6a-7b1c-7def-8123-456789abcdef' }, []),
    draft('health', {}, []),
  ]
}

function bytes(draft: Draft, d: Dice): Buffer {
  const type = draft.as === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const text = bodyOf(draft)
  const body = d.chance(0.2) ? damage(text, d) : Buffer.from(text)
  const chunked = d.chance(0.1) && draft.method !== 'GET'
  const framing = chunked ? [['Transfer-Encoding', 'chunked'] as const] : []
  const headers = [...draft.headers, ...(d.chance(0.95) ? [['Content-Type', type] as const] : []), ...framing]
  const framed = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
  const sent = chunked ? (body.length === 0 ? '0\r\n\r\n' : framed) : draft.method === 'GET' ? '' : body
  return bytesOf({ ...draft, headers, body: sent })
}

test(`requests, for ${SECONDS * 0.9} s from seed ${SEED}`, async () => {
  const service = await startService()
  try {
    const counts = await fuzzRequests(service)
    // A fuzzer that is only ever told "bad request" has not come past the door.
    const reached = [
      'answered',
      'bad-request',
      'invalid-input-solution',
      'invalid-input-ticket',
      'timeout-or-duplicate',
    ]
    expect(reached.filter((code) => !counts.has(code))).toEqual([])
  } finally {
    await service.kill()
  }
})

async function fuzzRequests(service: ServiceProcess): Promise<ReadonlyMap<string, number>> {
  const end = until(0.9)
  const wrong: string[] = []
  const counts = new Map<string, number>()
  const accepted = new Map<string, number>()
  let drafts = await genuineDrafts(service)
  const tokens = new Set<string>()
  let number = 0

  async function one(): Promise<void> {
    const n = number++
    const d = dice(SEED + n)
    const genuine = d.pick(drafts)
    const draft = d.chance(0.03) ? genuine : mutate(genuine, d)
    const request = bytes(draft, d)
    const says = (what: string): void =>
      void wrong.push(
        `${what}\n  input ${n} of seed ${SEED}: ${JSON.stringify(request.toString('latin1').slice(0, 1500))}`,
      )
    const answer = await send(service.url, request, { head: draft.method === 'HEAD', patience: HANG }).catch(
      (error: Error) => {
        says(`no answer within ${HANG} ms: ${error.message}`)
      },
    )
    if (!answer) return
    const text = answer.body.toString()
    const code =
      /"error-codes":\["([a-z-]+)/.exec(text)?.[1] ?? (text.includes('"success":true') ? 'accepted' : 'answered')
    counts.set(code, (counts.get(code) ?? 0) + 1)
    if (answer.status >= 500) says(`${answer.status} ${text}`)
    const isAsset = draft.path.startsWith('/assets/captcha')
    const fault = draft.method === 'HEAD' || isAsset ? undefined : undocumented({ ...answer, text })
    if (fault !== undefined) says(fault)
    if (code === 'accepted') {
      const response = String(genuine.fields.find(([name]) => name === 'response')?.[1])
      const keyed = String(genuine.fields.some(([name]) => name === 'idempotency_key'))
      accepted.set(`${keyed} ${response}`, (accepted.get(`${keyed} ${response}`) ?? 0) + 1)
      // The same attempt again is honoured; two attempts never are.
      if (keyed === 'false' && accepted.get(`false ${response}`)! > 1) says('accepted twice')
      if (accepted.has(`true ${response}`) && accepted.has(`false ${response}`)) says('accepted for two attempts')
    }
  }

  while (Date.now() < end && wrong.length < 10) {
    await Promise.all(Array.from({ length: AT_ONCE }, one))
    if (number % (AT_ONCE * 50) === 0) drafts = await genuineDrafts(service)
    for (const { fields } of drafts)
      for (const [name, value] of fields) if (name === 'response') tokens.add(String(value))
  }

  expect(wrong).toEqual([])
  expect(await (await fetch(`${service.url}/health`)).json()).toEqual({ status: 'ok' })
  expect(service.lines().filter(({ level, message }) => level === 'error' || message === 'internal error')).toEqual([])
  expect(await service.stop()).toBe(0)
  expect(leaks(service.said(), { secrets: [SECRET], tokens: [...tokens] })).toEqual([])
  process.stdout.write(`${number} requests: ${JSON.stringify(Object.fromEntries(counts))}\n`)
  return counts
}

test(`configurations, for ${SECONDS * 0.1} s from seed ${SEED}`, () => {
  const d = dice(SEED)
  const keys = [
    'sites',
    'secrets',
    'sha256',
    '__proto__',
    '<<',
    '&a',
    '*a',
    '!!js',
    '.nan',
    '0x10',
    '~',
    '? ',
    '- ',
    ': ',
    '\t',
    '\u2028',
    '{',
    '[',
  ]
  let tried = 0
  for (const end = until(0.1); tried < LEAST || Date.now() < end; tried++) {
    let text = d.pick(config)
    for (let n = 1 + d.upTo(4); n > 0; n--) {
      const lines = text.split('\n')
      const [i, j] = [d.upTo(lines.length), d.upTo(lines.length)]
      const at = d.upTo(text.length + 1)
      const changes = [
        () => lines.toSpliced(i, 1).join('\n'),
        () => lines.toSpliced(i, 0, lines[j]!).join('\n'),
        () => lines.with(i, `${' '.repeat(d.upTo(8))}${lines[i]!.trimStart()}`).join('\n'),
        () => text.slice(0, at) + d.pick(keys) + text.slice(at),
        () => text.slice(0, at) + d.text(6) + text.slice(at + d.upTo(6)),
        () =>
          lines
            .with(
              i,
              lines[i]!.replace(/: .*/, () => `: ${d.pick(keys)}${d.text(8)}`),
            )
            .join('\n'),
      ]
      text = d.pick(changes)()
    }
    const started = performance.now()
    try {
      expect(Object.isFrozen(checkConfig(text, 'fuzzed.yaml', {}))).toBe(true)
    } catch (error) {
      if (!(error instanceof ConfigError))
        throw new Error(`seed ${SEED}, ${tried}: ${JSON.stringify(text)}`, { cause: error })
      if (error.problems.length === 0)
        throw new Error(`seed ${SEED}, ${tried}: refused without a reason`, { cause: error })
    }
    if (performance.now() - started > HANG)
      throw new Error(`seed ${SEED}, ${tried} takes ${performance.now() - started} ms`)
  }
  process.stdout.write(`${tried} configurations\n`)
  expect(tried).toBeGreaterThanOrEqual(LEAST)
})
