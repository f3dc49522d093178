/**
 * Spellings of requests, behind each proxy's sample, before programs that answer with what they read: what a program reads
 * decides which page it shows, so a rule has to count for that. FUZZ_SEED, which is printed, repeats a run.
 */
import { randomInt } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { site, testService } from '../../support/app.ts'
import { exchange, gateFiles, PROXIES, startGate } from '../../support/gate.ts'
import { send } from '../../support/raw.ts'
import { token } from '../../support/visitor.ts'
import { type Read, READERS } from './readers.ts'

const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
/** Requests for each proxy and program, each sent with and without a clearance. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 500)

const RULES = [
  { name: 'closed', when: { path: ['/secret/*'] }, effect: 'deny' },
  { name: 'kept', when: { path: ['/api/*'], method: ['DELETE'] }, effect: 'deny' },
  { name: 'costly', when: { path: ['/search*'] }, effect: 'level 2' },
  { name: 'search', when: { query: ['s'] }, effect: 'level 2' },
  { name: 'open', when: { path: ['/open/*'], method: ['GET', 'POST'] }, effect: 'allow' },
]
/** Reports whether a rule asks for more than a clearance of level 1. */
const isDear = ({ paths, query = [], method = '' }: Read): boolean =>
  query.some((name) => /^s$/i.test(name)) ||
  paths.some(
    (path) =>
      /^\/(secret\/|search)/i.test(path) || (/^\/api\//i.test(path) && /^delete$/i.test(method)),
  )

const OPEN_FILE = /^\/(robots\.txt|favicon\.ico|\.well-known\/(acme-challenge\/.+|security\.txt))$/
/** Reports whether all that was read is open to every visitor. */
const isOpen = ({ paths, query = [], form = [], method = 'GET' }: Read): boolean =>
  query.length === 0 &&
  form.length === 0 &&
  /^(GET|HEAD|POST)$/.test(method) &&
  paths.every((path) => OPEN_FILE.test(path) || /^\/open\/(?!.*\.\.)/.test(path))

interface Asked {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

const DEAR = ['/secret/x', '/secret/', '/secret/index.php', '/search', '/search/x', '/api/x']
const FILES = ['/robots.txt', '/favicon.ico'].concat([
  '/.well-known/acme-challenge/x',
  '/.well-known/security.txt',
])
/** Of a program: no file has this name. */
const OPEN = '/open/b'
const BEFORE = (
  '/index.php /open/.. /open/a/..%2f.. /open/%2e%2e /robots.txt/.. /x/..; /.hv/.. /.hv/..%2f ' +
  '/.hv/%2e%2e /.hv/../. /.hv\\.. /.hv/;x/.. /.HV/.. /.well-known/acme-challenge/..%2f.. /. ' +
  '/%2e \\ / //open //other.example http://127.0.0.1 http://other.example /open/..;/ ' +
  '/open/a.php /%2e%2e'
).split(' ')
const AFTER = (
  '/ . %20 %00 %00.txt ;x=1 ;/ #x %23 ? /.. /. /index.php %3fs=x &s=x %26s=x /../secret/x ' +
  '/..%2fsecret/x /../search ::$DATA'
).split(' ')
const QUERIES = (
  '?p=1 ?s=x ?S=x ?%73=x ?s[]=x ?a=1;s=x ?a=1&s=x ?_method=DELETE ?rest_route=/x ' +
  '?%5fmethod=DELETE ?.s=x ?+s=x'
).split(' ')
/** What may stand for a slash. */
const SLASHES = (
  '/./ // /x/../ /%2e/ /..;/ /;x=1/ /x/%2e%2e/ %2f %252f \\ %5c /x/..%2f /.// /%c0%ae/ ' +
  '%ef%bc%8f'
).split(' ')
const hex = (byte: number, isUpper: boolean): string => {
  const digits = byte.toString(16).padStart(2, '0')
  return `%${isUpper ? digits.toUpperCase() : digits}`
}
const at = (text: string, where: number): number => where % Math.max(1, text.length)
const put = (text: string, where: number, change: (letter: string) => string): string => {
  const index = at(text, where)
  return text.slice(0, index) + change(text[index] ?? '') + text.slice(index + 1)
}
/** Puts something in the place of one slash after the first. */
function putSlash(text: string, where: number, other: string): string {
  const places = [...text.matchAll(/(?<=.)\//g)].map(({ index }) => index)
  const place = places[where % Math.max(1, places.length)]
  return place === undefined ? text : put(text, place, () => other)
}
const swapCase = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
/** Full-width letters, which programs may take for others. */
const widen = (letter: string): string =>
  /[a-z]/.test(letter)
    ? encodeURIComponent(String.fromCodePoint(letter.codePointAt(0)! + 0xfee0))
    : letter

type Change = (target: string) => string
const where = fc.nat(60)
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(where, fc.boolean()).map(
    ([index, isUpper]): Change =>
      (target) =>
        put(target, index, (letter) => hex(letter.charCodeAt(0) % 256, isUpper)),
  ),
  where.map(
    (index): Change =>
      (target) =>
        put(target, index, swapCase),
  ),
  where.map(
    (index): Change =>
      (target) =>
        put(target, index, widen),
  ),
  fc.constant<Change>((target) => target.replaceAll('%', '%25')),
  fc.constant<Change>((target) => target.toUpperCase()),
  fc.constantFrom(...BEFORE).map(
    (text): Change =>
      (target) =>
        text + target,
  ),
  fc.constantFrom(...AFTER).map(
    (text): Change =>
      (target) =>
        target + text,
  ),
  fc.tuple(where, fc.constantFrom(...SLASHES)).map(
    ([index, other]): Change =>
      (target) =>
        putSlash(target, index, other),
  ),
)
/** Gives the usual value two times of three. */
const few = <T>(unusual: fc.Arbitrary<T>, usual: T): fc.Arbitrary<T> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: unusual })
const base = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...DEAR) },
  { weight: 4, arbitrary: fc.constant(OPEN) },
  { weight: 2, arbitrary: fc.constantFrom(...FILES) },
  { weight: 1, arbitrary: fc.constantFrom('/', '/other', '/index.php') },
)
const target = fc
  .tuple(base, fc.array(change, { maxLength: 3 }), few(fc.constantFrom(...QUERIES), ''))
  .map(([path, changes, query]) => changes.reduce((text, each) => each(text), path) + query)

const LIE = 'forged'
/** Headers by which a program may take the request for another one, or the visitor for another one. */
const LIED_ABOUT = (
  'X-HV-Clearance x-hv-Clearance X_HV_Clearance X-HV_Clearance X.HV.Clearance X-HV-Guest X_HV_Guest X-HV_Guest X-Forwarded-For ' +
  'X_Forwarded_For X-Forwarded-Proto X_Forwarded_Proto X-Forwarded_Proto X-Forwarded-Host ' +
  'X-Real-IP X_Real_IP X-Forwarded-Port X-Forwarded-Prefix X-Forwarded-Server X-Forwarded-Ssl X_Forwarded_Host Forwarded'
).split(' ')
const CONNECTIONS = [
  'X-HV-Clearance',
  'close, X-HV-Clearance',
  'X-Forwarded-For, X-Forwarded-Proto',
]
const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['X-Original-URL', '/secret/x'],
  ['X-Rewrite-URL', '/secret/x'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['User-Agent', 'Mozilla/5.0'],
  ['Upgrade', 'websocket'],
  ['Trailer', 'X-HV-Clearance'],
  ['X-HV-Clearance ', LIE],
  [' X-HV-Clearance', LIE],
  ...LIED_ABOUT.map((name) => [name, LIE] as const),
  ...CONNECTIONS.map((value) => ['Connection', value] as const),
  ['Connection', 'Upgrade'],
  ['Connection', 'keep-alive, Cookie'],
  ['Connection', 'X-HV-Clearance, Upgrade'],
]
const asked: fc.Arbitrary<Asked> = fc.record({
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constant('GET') },
    { weight: 3, arbitrary: fc.constant('POST') },
    { weight: 2, arbitrary: fc.constantFrom('DELETE', 'PUT', 'OPTIONS', 'get', 'PROPFIND') },
  ),
  target,
  headers: few(fc.array(fc.constantFrom(...HEADERS), { minLength: 1, maxLength: 3 }), []),
  body: few(fc.constantFrom('p=1', 'rest_route=/x'), ''),
})

/** What the program read of a request; undefined where none got it. */
async function readOf(url: string, { method, target: path, headers, body }: Asked) {
  const form = body === '' ? [] : [['Content-Type', 'application/x-www-form-urlencoded']]
  const all = [['Host', '127.0.0.1'], ...headers, ...form, ['Content-Length', String(body.length)]]
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const bytes = `${method} ${path} HTTP/1.1\r\n${lines}\r\n${body}`
  const answer = await send(url, bytes, { patience: 3000 }).catch(() => undefined)
  if (!answer || answer.status > 299) return undefined
  const text = answer.body.toString()
  if (!text.startsWith('{"paths"')) return undefined
  const read = JSON.parse(text) as Read
  // Some proxies pass a whole address on: then programs read a path that no page has.
  return { ...read, paths: read.paths.map((each) => each.replace(/^https?:\/\/[^/]*/, '')) }
}

/** Names as PHP, CGI and WSGI fold them. */
const fold = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')
const OURS = /^(x-hv-clearance|x-hv-guest|x-forwarded-.*|forwarded|x-real-ip)$/
/** Returns the headers of ours that a program read, by their folded names. */
function oursOf({ headers = [] }: Read): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [name, value] of headers)
    if (OURS.test(fold(name))) (found[fold(name)] ??= []).push(value)
  return found
}

/** Envoy names its machine's address where a visitor's is the loopback. */
const OWN_ADDRESSES = new Set(
  Object.values(networkInterfaces()).flatMap((of = []) => of.map(({ address }) => address)),
)

/** Returns what the site gets of the proxy and the gate that is not theirs. */
function liesIn(ours: Record<string, string[]>): object[] {
  const [clearance = '', ...further] = ours['x-hv-clearance'] ?? []
  const isOurs =
    /^([\w-]{22}|none)$/.test(clearance) &&
    further.length === 0 &&
    String(ours['x-hv-guest']) === 'unknown' &&
    OWN_ADDRESSES.has(String(ours['x-forwarded-for'])) &&
    // ws: Traefik's word for a request with Upgrade.
    ['http', 'ws'].includes(String(ours['x-forwarded-proto'])) &&
    !JSON.stringify(ours).includes(LIE)
  return isOurs ? [] : [ours]
}

const service = await testService({
  siteList: [site({ hostnames: ['127.0.0.1'], scoreThreshold: 0 })],
})
const file = gateFiles(service.base, { rules: RULES, rate: '1000000 per 1m', networks: 1000 })

const ONE_READER: Readonly<Record<string, string>> = {
  Traefik: 'Express',
  Envoy: 'files of nginx',
}
const PLACES = Object.entries(PROXIES).flatMap(([proxy, startProxy]) =>
  // For the newer two one reader is enough. Envoy passes on a header with dots in its name, which Express shows.
  READERS.filter(([reader]) => reader === (ONE_READER[proxy] ?? reader)).map(
    ([reader, startReader]) => ({ proxy, startProxy, reader, startReader }),
  ),
)

describe(`${RUNS} requests, seed ${SEED}`, () => {
  test.each(PLACES)(
    '$reader behind $proxy',
    async ({ startProxy, startReader }) => {
      const gate = await startGate(file)
      const { url } = await startProxy(gate.host, await startReader())
      const response = await token({ ...service.ask, action: 'gate', origin: url })
      const { cookie } = await exchange(url, response)
      const usual: Asked = { method: 'GET', target: '/open/a', headers: [], body: '' }
      expect((await readOf(url, usual))?.paths[0]).toBe('/open/a')
      const withCookie = [['Cookie', cookie!]] as const
      expect(await readOf(url, { ...usual, target: '/other' })).toBeUndefined()
      expect(await readOf(url, { ...usual, target: '/other', headers: withCookie })).toBeDefined()

      const property = fc.asyncProperty(asked, async (request) => {
        const open = await readOf(url, request)
        const headers = [...request.headers, ...withCookie]
        const read = await readOf(url, { ...request, headers })
        expect([
          ...(open && !isOpen(open) ? [{ 'is open to every visitor': open }] : []),
          ...(read && isDear(read) ? [{ 'is open to a clearance of level 1': read }] : []),
          ...[open, read].flatMap((each) => (each?.headers ? liesIn(oursOf(each)) : [])),
        ]).toEqual([])
      })
      await fc.assert(property, { seed: SEED, numRuns: RUNS })
    },
    60_000,
  )
})
