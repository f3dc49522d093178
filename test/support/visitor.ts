import { pbkdf2Sync, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { hitThreshold, prepare, SAMPLES, tagOf, unit } from '../../src/work/s32.ts'
import type { ChallengeAnswer, SolveAnswer, WireWork } from '../../src/wire.ts'
import { powKey } from '../../src/work/solution.ts'
import { spellSolution } from '../../src/work/spell-solution.ts'
import { answerProblems } from './openapi.ts'
import type { Prove } from './prove.ts'
import { CHROMIUM } from './seen-request.ts'

/** What a visitor's browser does, without the browser: the same unit of work, the widget's own encoding. */
export function work(challenge: string, { a, n, s }: WireWork): string {
  const key = powKey(challenge)
  const threshold = hitThreshold(n)
  const wanted = Math.min(n, SAMPLES)
  const hits: { index: number; tag: number }[] = []
  prepare(key, s)
  const outputOf = a === 'pb.1' ? pbUnit : unit
  for (let index = 0; hits.length < wanted; index++) {
    const output = outputOf(key, index, s)
    if (output <= threshold) hits.push({ index, tag: tagOf(output) })
  }
  return spellSolution(n, hits)
}

/** The body with wrong tags. */
export function wrongly<T extends { readonly solution: string }>(body: T): T {
  const bytes = Buffer.from(body.solution, 'base64url').map((byte, i) => (i % 3 ? byte ^ 1 : byte))
  return { ...body, solution: Buffer.from(bytes).toString('base64url') }
}

/** A unit of `pb.1`, written a second time from docs/design/work.md, "Browsers without a JIT". */
function pbUnit(key: Int32Array, index: number, iterations: number): number {
  const salt = Buffer.from(Uint32Array.of(index).buffer)
  return pbkdf2Sync(Buffer.from(key.buffer), salt, iterations, 4, 'sha256').readUInt32LE()
}

export interface Ask {
  readonly base: string
  readonly sitekey: string
  readonly origin: string
  readonly action?: string
  readonly cdata?: string
  readonly algorithm?: 'pb.1'
  readonly signals?: object
  readonly headers?: Record<string, string>
  /** Answers the browser proof, which needs the service's keys or a browser; unanswered if omitted. */
  readonly prove?: Prove
  /** Of a first visit whose score was too low: this is the second try. */
  readonly ticket?: string
  /** Asks again while the service has no time to judge. */
  readonly patient?: boolean
}

/** A summary such as a person's browser makes. */
export const PERSON = {
  v: 1,
  automation: { webdriver: 0, headless: 0, artefacts: 0, console: 0 },
  input: {
    trusted: 90,
    untrusted: 0,
    moves: 40,
    coalesced: 31,
    presses: 3,
    flatPresses: 0,
    touches: 0,
    keys: 24,
    keyGap: 140,
    keyGapLong: 300,
  },
  page: { visible: 1, focused: 1 },
}

/** Another person each time: hardly two have as many keys and as many moves. */
export function someone() {
  const keys = PERSON.input.keys + randomInt(60)
  const moves = PERSON.input.moves + randomInt(60)
  const input = { ...PERSON.input, keys, moves, trusted: PERSON.input.trusted + keys + moves }
  return { ...PERSON, input }
}

/** The headers that a browser's fetch sends along. */
export const BROWSER = {
  'user-agent': CHROMIUM,
  accept: '*/*',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
  'sec-ch-ua': '"Chromium";v="156", "Not/A)Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  'sec-ch-ua-platform': '"Linux"',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-GB,en;q=0.9',
}

/** Posts a form. @throws {Error} if the answer differs from `openapi.json`. */
export async function post(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  // Not sent by supertest, which closes each connection: a browser keeps it, and real processes are asked as well.
  const res = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers })
  const body = await res.text()
  const { status, headers: sent } = res
  const path = new URL(url).pathname.replace(/^.*(?=\/api\/)/, '')
  const problems = answerProblems({ method: 'POST', path, status, headers: sent, body })
  if (problems.length > 0) throw new Error(`not as openapi.json says:\n  ${problems.join('\n  ')}`)
  return { status, headers: sent, body: JSON.parse(body) as Record<string, unknown> }
}

/** Posts until the service has the time to judge: a machine that is busy for a moment, whose Redis answers late, gets 503. */
export async function postPatiently(...asked: Parameters<typeof post>): ReturnType<typeof post> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const answer = await post(...asked)
    if (answer.status !== 503 || Date.now() > end) return answer
  }
}
const PATIENCE_MS = 15_000

/** Asks for a challenge and does its work; the fields of the solve request come back. */
export async function solved(ask: Ask) {
  const { sitekey, action = 'sign-up', signals = someone(), headers = BROWSER, prove } = ask
  const { cdata, algorithm, ticket } = ask
  const send = ask.patient ? postPatiently : post
  const step = ticket !== undefined && { ticket }
  const { status, body } = await send(
    `${ask.base}/api/v1/challenge`,
    {
      sitekey,
      action,
      proof: '1',
      ...(cdata !== undefined && { cdata }),
      ...(algorithm && { algorithm }),
      ...step,
    },
    { ...headers, origin: ask.origin },
  )
  if (status !== 200) throw new Error(`challenge: ${status} ${JSON.stringify(body)}`)
  const { challenge, work: asked } = body as unknown as ChallengeAnswer
  return {
    challenge,
    solution: work(challenge, asked),
    signals: JSON.stringify({ ...signals, ...(prove && { proof: await prove(challenge) }) }),
    ...step,
  }
}

export async function token(ask: Ask): Promise<string> {
  const fields = await solved(ask)
  const send = ask.patient ? postPatiently : post
  const { status, body } = await send(`${ask.base}/api/v1/solve`, fields, {
    ...(ask.headers ?? BROWSER),
    origin: ask.origin,
  })
  if (status !== 200) throw new Error(`solve: ${status} ${JSON.stringify(body)}`)
  return (body as unknown as SolveAnswer).token
}
