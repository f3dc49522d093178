/** Examines a protected page as a stranger meets it: without a clearance, and with everything that a stranger can forge. */
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overTls } from 'node:https'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { REQUEST_HEADERS } from './dialects.ts'

/** `advice`: what to do; undefined: nothing. */
export type Finding = Readonly<{ check: string; saw: string; advice: string | undefined }>
type Asked = [path: string, headers: NodeJS.Dict<string>, method?: string]
type Reply = Readonly<{ status: number; headers: IncomingHttpHeaders; body: string }>

const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const FETCH = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const KEY = 'AAAAAAAAAAAAAAAAAAAAAA=='
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': KEY,
}
/** A server that answers 101 speaks HTTP/2 from there on (RFC 7540, 3.2). */
const H2C = {
  connection: 'Upgrade, HTTP2-Settings',
  upgrade: 'h2c',
  'http2-settings': 'AAMAAABkAARAAAAAAAIAAAAA',
}
const PREFLIGHT = { origin: 'https://other.invalid', 'access-control-request-method': 'GET' }
const OPEN = ['/robots.txt', '/.well-known/acme-challenge/x'] as const
/** Other programs that proxies ask have these. */
const OTHER_PROGRAMS = { method: 'x-rewrite-method', target: 'x-rewrite-uri' }
/** What a visitor may send to be taken for another one, or for one who asks for an open path. */
const FORGED: readonly NodeJS.Dict<string>[] = [
  ...[...REQUEST_HEADERS, OTHER_PROGRAMS].flatMap(({ method, target }) => [
    { [target]: OPEN[0] },
    { [target.replaceAll('-', '_')]: OPEN[0] },
    { [method]: 'OPTIONS', ...PREFLIGHT },
  ]),
  { 'x-forwarded-host': 'forged.invalid' },
  { 'x-forwarded-for': '127.0.0.1' },
  { cookie: '__Host-hv=forged; hv=forged' },
]
/** What a server may take for an open path, or for another one. */
const SPELLINGS =
  '/%72obots.txt //robots.txt /robots.txt/..%2fx /.well-known/../x /.hv/..%2fx /robots.txt;x'.split(
    ' ',
  )
/** What a visitor may send to choose the clearance that the site reads, or to take it away. */
const CHOSEN: readonly NodeJS.Dict<string>[] = [
  { 'x-hv-clearance': 'forged-by-doctor' },
  { x_hv_clearance: 'forged-by-doctor' },
  { connection: 'X-HV-Clearance' },
  { 'x-hv-guest': 'forged-by-doctor' },
]

const isPage = ({ status, body }: Reply): boolean => status === 403 && body.includes('/.hv/gate.js')
const isShut = ({ status }: Reply): boolean => status > 299 && status < 500
const isOpen = (reply: Reply): boolean =>
  !isPage(reply) && reply.status !== 401 && reply.status < 500
const isFresh = ({ headers }: Reply): boolean =>
  headers['cache-control'] === 'no-store' && !('age' in headers)
const hasOnePolicy = ({ headers }: Reply): boolean =>
  String(headers['content-security-policy']).split('default-src').length === 2
/** After 101 the connection is a tunnel. */
const isHttp = ({ status }: Reply): boolean => status !== 101

/** `isGood` names what is asked for; `advice` is for a reply that is not. */
type Check = Readonly<{
  check: string
  asked: Asked
  isGood: (reply: Reply) => boolean
  advice: string
}>

/** What becomes of a request for the page itself. */
function checksOfPage(here: string): readonly Check[] {
  const advice =
    'expected 403 with the page: does the proxy ask the gate, and show its answer in place?'
  return [
    { check: 'navigation', asked: [here, PAGE], isGood: isPage, advice },
    { check: 'form', asked: [here, PAGE, 'POST'], isGood: isPage, advice },
    {
      check: 'cache',
      asked: [here, PAGE],
      isGood: isFresh,
      advice: 'Cache-Control: no-store is lost, or a cache answered',
    },
    {
      check: 'policy',
      asked: [here, PAGE],
      isGood: hasOnePolicy,
      advice: 'do not add a Content-Security-Policy to answers of the gate',
    },
    {
      check: 'fetch',
      asked: [here, FETCH],
      isGood: ({ headers }) => 'hv-required' in headers,
      advice: 'pass on the headers of the gate',
    },
    {
      check: 'websocket',
      asked: [here, UPGRADE],
      isGood: ({ status }) => status === 401,
      advice: 'expected 401: an upgrade passes the gate',
    },
    {
      check: 'preflight',
      asked: [here, PREFLIGHT, 'OPTIONS'],
      isGood: ({ status, body }) => status > 299 || body === '',
      advice: 'the site answers OPTIONS with a page: allow OPTIONS only at paths where it does not',
    },
  ]
}

/** What is let in by the look of a request while the program behind may look at something else. */
function checksOfOpenFiles(): readonly Check[] {
  const byPath = OPEN.flatMap((path): Check[] => [
    {
      check: path,
      asked: [path, PAGE],
      isGood: isOpen,
      advice: 'expected the answer of your site',
    },
    {
      check: `${path}?p=1`,
      asked: [`${path}?p=1`, PAGE],
      isGood: isShut,
      advice: 'the site may choose its page by the query: open this path without one',
    },
  ])
  return [
    ...byPath,
    {
      check: `${OPEN[0]} by h2c`,
      asked: [OPEN[0], H2C],
      isGood: isHttp,
      advice: 'the proxy became a tunnel past the gate: pass on no upgrade but to websocket',
    },
    {
      check: `${OPEN[0]} by websocket`,
      asked: [OPEN[0], UPGRADE],
      isGood: isHttp,
      advice: 'an open path became a tunnel past the gate: let the gate see Upgrade',
    },
  ]
}

function checksOfForgeries(here: string): readonly Check[] {
  const forged = FORGED.map((headers) => ({
    check: `forged ${Object.keys(headers)[0]}`,
    asked: [here, { ...PAGE, ...headers }] as Asked,
    isGood: isShut,
    advice: 'the gate believes a header of the visitor: set each header of the sample',
  }))
  const spelled = SPELLINGS.map((path) => ({
    check: path,
    asked: [path, PAGE] as Asked,
    isGood: isShut,
    advice: 'send the path to the gate as it came',
  }))
  return [...forged, ...spelled]
}

/** What proxies send to the gate without a check. */
function checksOfOwnFiles(isSecure: boolean): readonly Check[] {
  return [
    {
      check: '/.hv/',
      asked: ['/.hv/gate.js', {}],
      isGood: ({ status }) => status === 200,
      advice: 'expected 200: send /.hv/ to the gate, without a check',
    },
    {
      check: 'another site',
      asked: ['/.hv/pass', { 'sec-fetch-site': 'cross-site' }, 'POST'],
      isGood: ({ status }) => status === 403,
      advice: 'expected 403: keep the headers of the visitor',
    },
    {
      check: 'scheme',
      asked: ['/.hv/gate.js', {}],
      isGood: () => isSecure,
      advice: 'use TLS: over http the cookie has no Secure',
    },
  ]
}

/** @param echo an open path that shows the headers it got. */
function checksOfClearance(echo: string): readonly Check[] {
  return CHOSEN.map((headers) => ({
    check: `clearance by ${Object.keys(headers)[0]}`,
    asked: [echo, headers],
    // A program may show the name as it reads it: HTTP_X_HV_CLEARANCE.
    isGood: ({ body }) => /x.hv.clearance/i.test(body) && !body.includes('forged-by-doctor'),
    advice:
      'the visitor chooses the X-HV-Clearance or X-HV-Guest that the site gets: let the proxy alone set it',
  }))
}

/** @param page that needs a clearance. @param echo an open path that shows the headers it got. */
export async function doctor(page: string, echo?: string): Promise<readonly Finding[]> {
  const base = new URL(page)
  const here = base.pathname + base.search
  const checks = [
    ...checksOfPage(here),
    ...checksOfForgeries(here),
    ...checksOfOpenFiles(),
    ...checksOfOwnFiles(base.protocol === 'https:'),
    ...(echo === undefined ? [] : checksOfClearance(echo)),
  ]
  const findings: Finding[] = []
  for (const { check, asked, isGood, advice } of checks) {
    const reply = await fetchRaw(base, ...asked)
    const saw = `status ${reply.status}`
    findings.push({ check, saw, advice: isGood(reply) ? undefined : advice })
  }
  return findings
}

/** As `fetch`, but with every path and header as they are. */
async function fetchRaw(base: URL, ...[path, headers, method = 'GET']: Asked): Promise<Reply> {
  const request = base.protocol === 'https:' ? overTls : overHttp
  const req = request(base, {
    path,
    method,
    headers: { host: base.host, ...headers },
    timeout: 15_000,
  }).end()
  req.on('timeout', () => req.destroy(new Error(`${base.href}: no answer in 15 s`)))
  req.on('upgrade', (_res, socket) => socket.destroy())
  const heads = ['response', 'upgrade'].map((event) => once(req, event))
  const [res, socket] = (await Promise.race(heads)) as [IncomingMessage, Socket?]
  return { status: res.statusCode!, headers: res.headers, body: socket ? '' : await text(res) }
}
