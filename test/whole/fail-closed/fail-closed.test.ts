/**
 * docs/design/threats.md#t34: every call that the four operations make to the outside fails in turn, in every way a call can
 * fail. No way leads to `success: true`, and every answer is a documented one.
 */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import request from 'supertest'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppParts } from '../../../src/app.ts'
import { SHAPES } from '../../../src/http/vendor-shapes.ts'
import type { Listening } from '../../../src/http/listen.ts'
import { siteDirectory } from '../../../src/settings/site-directory.ts'
import { Fault } from '../../../src/domain/codes.ts'
import {
  type Action,
  type Hostname,
  type Jti,
  later,
  type Sitekey,
  unixSeconds,
} from '../../../src/domain/words.ts'
import { appOf, PLACE, SECRET, site, SITEKEY, testService } from '../../support/app.ts'
import { answerProblems } from '../../support/openapi.ts'
import { pass, PASS_KEY } from '../../support/pass.ts'
import { serve } from '../../support/serve.ts'
import { BROWSER, solved, token } from '../../support/visitor.ts'

/**
 * The ports that an operation asks. `log` is left out: it is asked again after the answer is out, when nothing can
 * change it any more, and it cannot fail (a stream’s errors are swallowed).
 */
const PORTS = [
  'sites',
  'tokens',
  'ledger',
  'limiter',
  'history',
  'clock',
  'random',
  'readiness',
] as const

/** What becomes of one call: it is given the genuine call, and may make it or not. */
type Trip = (name: string, genuine: () => unknown) => unknown

/** The whole service, with every call that it makes to the outside in a test's hands. */
async function trippedService(parts: AppParts, trip: Trip): Promise<Listening> {
  const ports = PORTS.map((port) => [port, wrap(port, parts[port], trip)] as const)
  const tripped: AppParts = { ...parts, ...Object.fromEntries(ports) }
  const listening = await serve(appOf(tripped))
  return { ...listening, url: `${listening.url}${PLACE.mount}` }
}

function wrap<T extends object>(port: string, object: T, trip: Trip): T {
  const methods = Object.entries(object) as [string, (...args: unknown[]) => unknown][]
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      (...args: unknown[]) => trip(`${port}.${name}`, () => method(...args)),
    ]),
  ) as T
}

/** Lets every call through but the k-th, counted from 0. */
function tripAt(k: number, instead: Trip): Trip {
  let call = 0
  return (name, genuine) => (call++ === k ? instead(name, genuine) : genuine())
}

const MANAGED = 'hv_site_managedstep' as Sitekey
const BY_TICKET = 'hv_site_bytickets' as Sitekey
const TICKET_SECRET = `hv_secret_${'tickets'.repeat(6)}`
const SITES = [
  site(),
  site({ sitekey: MANAGED, stepUp: 'managed' }, `hv_secret_${'managed'.repeat(6)}`),
  site({ sitekey: BY_TICKET, stepUp: 'ticket', passKeys: [PASS_KEY] }, TICKET_SECRET),
]

/** Milliseconds. The service's clock stands still: on a busy machine these tests outlive a challenge and a ticket. */
const start = Date.now()
// A pass counts only where the ledger is older than it.
let early = 120_000
const genuine = await testService({
  siteList: SITES,
  nowMs: () => start - early,
  defects: 'expected',
})
early = 0
const untripped: Trip = (_name, call) => call()
let inForce = untripped
/** The same parts, with this trip at each call. */
const tripped = await trippedService(genuine.parts, (name, call) => inForce(name, call))
/** One challenge with its work done: the same body is answered as often as it comes. */
const body = await solved(genuine.ask)
const fallback = await solved({ ...genuine.ask, algorithm: 'pb.1' })
/** A first visit that showed too little and is answered with a ticket, and the second try. */
const managed = { ...genuine.ask, sitekey: MANAGED }
const little = { ...(await solved({ ...managed, signals: {} })), step_up: '1' }
const { ticket } = JSON.parse((await ask(genuine.base, '/api/v1/solve', little)).text) as {
  ticket: string
}
const again = { ...(await solved({ ...managed, ticket })), step_up: '1' }

/** A token as the service issues it, with its own id and without work, which is not tested here. */
async function minted(sitekey: Sitekey = SITEKEY, score = 0.9): Promise<string> {
  const { tokens, ledger, random, clock } = genuine.parts
  const [jti, now] = [random.id() as Jti, clock.now()]
  return tokens.signResponse({
    jti,
    sitekey,
    hostname: 'shop.example.com' as Hostname,
    action: 'sign-up' as Action,
    cdata: undefined,
    generation: ledger.generation(jti),
    challengedAt: now,
    issuedAt: now,
    expiresAt: later(now, 120),
    keepUntil: later(now, 300),
    sealed: {
      decision: { score, contributions: [], rule: undefined },
      address: tokens.hashAddress('127.0.0.1'),
    },
  })
}

/** @returns `undocumented`: how the answer differs from openapi.json. */
async function ask(base: string, path: string, fields?: Record<string, string>) {
  const asked = fields
    ? request(base).post(path).type('form').send(new URLSearchParams(fields).toString())
    : request(base).get(path)
  const from = { ...BROWSER, origin: genuine.ask.origin }
  const { status, text, headers } = await asked.set(from).timeout(5000)
  // /health reports readiness; if it cannot, it fails like every path.
  const isHealth = path === '/health' && text.startsWith('{"status"')
  const shown = isHealth
    ? text.replace(/"error-codes":\[.*\]/, '"error-codes":["internal-error"]')
    : text
  const documented = path === '/health' && !isHealth ? '/api/v1/siteverify' : path
  const method = documented === path || status === 405 ? asked.method : 'POST'
  const [undocumented] = answerProblems({
    method,
    path: documented,
    status,
    headers: new Headers(headers),
    body: shown,
  })
  return { status, text, undocumented }
}
type AnyAnswer = Awaited<ReturnType<typeof ask>>

type Asked = [path: string, fields?: Record<string, string>]
const challengeFor = (fields: Record<string, string>): Asked => [
  '/api/v1/challenge',
  { action: 'sign-up', ...fields },
]
const solveWith = (fields: Record<string, string>): Asked => ['/api/v1/solve', fields]
const verify = (secret: string, response: string, more = {}): Asked => [
  '/api/v1/siteverify',
  { secret, response, action: 'sign-up', ...more },
]

const VERIFICATIONS: Record<string, () => Promise<Asked>> = {
  siteverify: async () => verify(SECRET, await minted(), { remoteip: '127.0.0.1' }),
  'siteverify of too low a score': async () => verify(TICKET_SECRET, await minted(BY_TICKET, 0.1)),
  'siteverify of a used token': async () => {
    const asked = verify(SECRET, await minted())
    await ask(genuine.base, ...asked)
    return asked
  },
  'siteverify of a pass': async () =>
    verify(TICKET_SECRET, await pass({ aud: BY_TICKET }, Math.floor(start / 1000))),
  'siteverify with a wrong secret': async () => verify('x'.repeat(40), 'x'),
}
/** Each verification in the shape of another service. */
const inShape = ([shape, { path }]: [string, { readonly path: string }]) =>
  Object.entries(VERIFICATIONS).map(
    ([name, make]) =>
      [
        `${name} in the shape of ${shape}`,
        async (): Promise<Asked> => {
          const [, fields = {}] = await make()
          const sitekey = fields['secret'] === TICKET_SECRET ? BY_TICKET : SITEKEY
          return [path.replace('{sitekey}', sitekey), fields]
        },
      ] as const,
  )
/** The name of an operation without its shape. */
const plain = (operation: string) => operation.replace(/ in the shape of .+/, '')

/** Each of the four operations with a genuine, new request, and the first two also for pb.1. */
const OPERATIONS: Record<string, () => Asked | Promise<Asked>> = {
  challenge: () => challengeFor({ sitekey: SITEKEY, cdata: 'x', proof: '1' }),
  'challenge for pb.1': () => challengeFor({ sitekey: SITEKEY, algorithm: 'pb.1' }),
  solve: async () => solveWith(await solved({ ...genuine.ask, patient: true })),
  'solve again': () => solveWith(body),
  'solve by pb.1': () => solveWith(fallback),
  'challenge for a second try': () => challengeFor({ sitekey: MANAGED, proof: '1', ticket }),
  'solve with too low a score': () => solveWith(little),
  'solve of a second try': () => solveWith(again),
  ...VERIFICATIONS,
  ...Object.fromEntries(Object.entries(SHAPES).flatMap(inShape)),
  health: () => ['/health'],
}
const NAMES = Object.keys(OPERATIONS)

/** The calls that an operation makes when nothing fails, in order. */
async function callsOf(operation: string): Promise<string[]> {
  const calls: string[] = []
  await through(operation, (name, call) => {
    calls.push(name)
    return call()
  })
  return calls
}

async function through(operation: string, trip: Trip): Promise<AnyAnswer> {
  const asked = await OPERATIONS[operation]!()
  inForce = trip
  return ask(tripped.url, ...asked).finally(() => {
    inForce = untripped
  })
}

const BOOM = new Error('boom: hv_secret_inside_an_error')
const throwing =
  (thrown: unknown): Trip =>
  () => {
    throw thrown
  }
const FAILURES: Record<string, Trip> = {
  'throws an error': throwing(BOOM),
  'throws a fault': throwing(new Fault('database-unavailable', { cause: BOOM })),
  'throws what is no error': throwing('boom'),
  'throws nothing at all': throwing(undefined),
  'throws success': throwing({ success: true, accepted: true, 'error-codes': [], status: 200 }),
  'does its work and then rejects': async (_name, call) => {
    await call()
    throw BOOM
  },
}

test('without a failure every operation answers as documented, and siteverify accepts', async () => {
  for (const name of NAMES) expect((await through(name, untripped)).undocumented).toBeUndefined()
  const accepted = NAMES.filter((name) => /^siteverify( of a pass)?$/.test(plain(name)))
  expect(accepted).toHaveLength(2 * (1 + Object.keys(SHAPES).length))
  for (const name of accepted)
    expect((await through(name, untripped)).text).toContain('"success":true')
})

/** Reports whether a call can fail so. */
function canFail(how: string, name: string, k: number): boolean {
  // A call that answers at once cannot reject: what it hands back is no value of its kind, as below.
  if (how.endsWith('rejects') && !ASYNC.has(name)) return false
  // The framework takes a thrown `undefined` in a step for "go on"; the one step that this reaches only numbers a line of the log.
  return !(how === 'throws nothing at all' && k === 0 && name === 'random.id')
}

describe.each(Object.entries(FAILURES))('a call that %s', (how, instead) => {
  test.each(NAMES)('%s: each call in turn ends in a documented fault', async (operation) => {
    const calls = await callsOf(operation)
    expect(calls.length).toBeGreaterThan(0)
    const wrong: string[] = []
    for (const [k, name] of calls.entries()) {
      if (!canFail(how, name, k)) continue
      const answer = await through(operation, tripAt(k, instead))
      const quiet = IS_EXTRA.has(`${plain(operation)} ${k === calls.lastIndexOf(name) ? name : ''}`)
      const fault =
        answer.status >= 400 || quiet ? answer.undocumented : 'answered as if nothing had happened'
      if (fault !== undefined) wrong.push(`${k} ${name}: ${fault} ${answer.text}`)
      if (answer.text.includes('boom')) wrong.push(`${k} ${name}: tells the error`)
      if (answer.text.includes('"success":true')) wrong.push(`${k} ${name}: accepted`)
    }
    expect(wrong).toEqual([])
  })
})

/** The last of these calls gives a second try: without it, the visit is answered as on a site that gives none. */
const IS_EXTRA = new Set([
  'solve with too low a score limiter.check',
  'siteverify of too low a score limiter.check',
])

/** The ports that answer later. */
const LIMITER = ['take', 'junk', 'check', 'challenge', 'visit', 'giveBack'].map(
  (name) => `limiter.${name}`,
)
const ASYNC = new Set(['ledger.consume', ...LIMITER])

/** Only `setTimeout` is faked: sockets stay real, and no test waits for the clock. */
const REAL = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
]
afterEach(() => void jest.useRealTimers())

/** Asks a service whose calls of this name hang, and lets a second pass. @param late comes the call back after 1.8 s? */
async function hanging(asked: Asked, name: string, late: boolean): Promise<AnyAnswer> {
  let isHanging!: () => void
  const hung = new Promise<void>((resolve) => {
    isHanging = resolve
  })
  const service = await trippedService(genuine.parts, (called, call) => {
    if (called !== name) return call()
    isHanging()
    return new Promise((resolve) => late && setTimeout(() => resolve(call()), 1800))
  })
  jest.useFakeTimers({ doNotFake: REAL })
  const answered = ask(service.url, ...asked)
  await hung
  await jest.advanceTimersByTimeAsync(1000)
  const answer = await answered
  await jest.advanceTimersByTimeAsync(1000)
  jest.useRealTimers()
  await service.stop(0)
  return answer
}

test.each(NAMES)(
  '%s: a call that hangs is given up, and answered with a documented fault within 1 s',
  async (operation) => {
    const wrong: string[] = []
    for (const name of new Set((await callsOf(operation)).filter((each) => ASYNC.has(each)))) {
      for (const late of [false, true]) {
        const answer = await hanging(await OPERATIONS[operation]!(), name, late)
        const fault = answer.status >= 500 ? answer.undocumented : answer.text
        if (fault !== undefined) wrong.push(`${name}, late ${late}: ${fault}`)
      }
    }
    expect(wrong).toEqual([])
  },
)

test('a late consumption is not an acceptance: the refused request has used the token up', async () => {
  const asked = await OPERATIONS['siteverify']!()
  expect((await hanging(asked, 'ledger.consume', true)).status).toBe(503)
  expect((await ask(genuine.base, ...asked)).text).toContain('timeout-or-duplicate')
})

/** What may be anything, and why: it decides nothing about who gets in. */
const MAY_BE_ANYTHING: Record<string, string> = {
  'limiter.take': 'answers nothing: it lets through by coming back, and refuses by throwing',
  'limiter.junk': 'as limiter.take',
  'limiter.check': 'as limiter.take',
  'limiter.challenge': 'says whether a challenge asks for more work; it refuses by throwing',
  'history.load':
    'it makes work and score harder only; nothing remembered is what a first visit has',
  'history.solved': 'as history.load',
  'history.note': 'answers nothing',
  'ledger.fullness': 'without it a challenge is issued as ever, and a challenge lets nobody in',
  'limiter.giveBack': 'answers nothing',
  'tokens.hashAddress':
    'an address that cannot be compared says nothing about the visitor (docs/api/api.md, "remoteip")',
  'clock.now':
    'is a number of seconds; a token is over by the clock of the ledger, and what is not a number is over (below)',
  'siteverify of a pass ledger.beganAt':
    'is a moment: 1 is one, long ago; what is no whole number is none',
  'siteverify of a pass tokens.activeKid':
    'a name in claims that are never sealed: a pass has no key of ours',
  'random.id':
    'of any 128 bits: as a request id it decides nothing; as the attempt it is only compared with itself',
}
const GARBAGE = {
  undefined,
  null: null,
  true: true,
  one: 1,
  NaN,
  text: 'accepted',
  object: {},
  list: [],
  promise: Promise.resolve(true),
}

/** Lets each call of an operation in turn return each of these instead. */
async function* garbled(operation: string) {
  for (const [k, name] of (await callsOf(operation)).entries()) {
    for (const [kind, value] of Object.entries(GARBAGE)) {
      const trip = tripAt(k, () => value)
      yield { name, what: `${k} ${name} answers ${kind}`, ...(await through(operation, trip)) }
    }
  }
}

describe('a call that returns a value of another type', () => {
  test.each(NAMES)('%s: no visit is accepted', async (operation) => {
    const wrong: string[] = []
    for await (const { name, what, status, text, undocumented } of garbled(operation)) {
      const decides =
        MAY_BE_ANYTHING[name] === undefined &&
        MAY_BE_ANYTHING[`${plain(operation)} ${name}`] === undefined
      if (decides && text.includes('"success":true')) wrong.push(`${what}: accepted`)
      if (status >= 400 && undocumented) wrong.push(`${what}: ${undocumented}`)
    }
    expect(wrong).toEqual([])
  })

  test('a token made from such a value is not accepted', async () => {
    const wrong: string[] = []
    for await (const { name, what, status, text } of garbled('solve')) {
      if (MAY_BE_ANYTHING[name] !== undefined) continue
      const response =
        status === 200 ? String((JSON.parse(text) as { token?: unknown }).token) : 'none'
      const verdict = await ask(genuine.base, '/api/v1/siteverify', { secret: SECRET, response })
      if (verdict.text.includes('"success":true')) wrong.push(what)
    }
    expect(wrong).toEqual([])
  })
})

test('a clock that returns no number extends no token and no secret', async () => {
  const past = Date.now() - 3_600_000
  const old = await testService({ nowMs: () => past })
  const response = await token(old.ask)
  const secrets = [
    {
      sha256: createHash('sha256').update(SECRET).digest('hex'),
      notAfter: unixSeconds(past / 1000),
    },
  ]
  const sites = siteDirectory([site({ secrets })])
  const clock = { now: () => unixSeconds(Number.NaN) }
  const codes: unknown[] = []
  for (const parts of [old.parts, { ...genuine.parts, sites }]) {
    const service = await trippedService({ ...parts, clock }, untripped)
    const { text } = await ask(service.url, '/api/v1/siteverify', { secret: SECRET, response })
    codes.push((JSON.parse(text) as { 'error-codes': unknown })['error-codes'])
  }
  expect(codes).toEqual([['timeout-or-duplicate'], ['invalid-input-secret']])
})

/**
 * Waits for this process alone, for calls made at once, or for a function of this folder: the calls of these are made to
 * fail, too.
 */
const OWN = [
  'accept',
  'checkWork',
  'open',
  'pass.open',
  'pass.consume',
  'chance.open',
  'chance.consume',
  'chance.offer',
]
const NOBODYS = new Set(['Promise.all', 'ports.openPass', ...OWN])

test('every await and every port call in src/operations is among the failing ones', async () => {
  const reached = new Set<string>()
  for (const name of NAMES) for (const call of await callsOf(name)) reached.add(call)
  const folder = join(import.meta.dirname, '../../../src/operations')
  const missed: string[] = []
  let awaits = 0
  for (const file of readdirSync(folder)) {
    const source = readFileSync(join(folder, file), 'utf8').replaceAll(
      /\/\*[\s\S]*?\*\/|\/\/.*/g,
      '',
    )
    const local = new Set([...source.matchAll(/function (\w+)\(/g)].map((match) => match[1]))
    for (const [, callee = ''] of source.matchAll(/\bawait\s+([\w.]+)/g)) {
      awaits++
      if (!reached.has(callee) && !local.has(callee) && !NOBODYS.has(callee))
        missed.push(`${file}: await ${callee}`)
    }
    for (const [, callee = ''] of source.matchAll(
      /\b((?:sites|tokens|ledger|limiter|history|clock|random)\.\w+)\(/g,
    )) {
      if (!reached.has(callee)) missed.push(`${file}: ${callee}`)
    }
  }
  expect(missed).toEqual([])
  expect(awaits).toBeGreaterThanOrEqual(7)
})
