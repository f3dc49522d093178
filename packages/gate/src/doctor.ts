/** Examines a protected page as a stranger meets it: without a clearance, and with everything that a stranger can forge. */
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from 'node:http'
import { request as overTls } from 'node:https'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'

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
const PREFLIGHT = { origin: 'https://other.invalid', 'access-control-request-method': 'GET' }
const OPEN = ['/robots.txt', '/.well-known/acme-challenge/x'] as const
/** What a visitor may send to be taken for another one, or for one who asks for an open path. */
const FORGED: readonly NodeJS.Dict<string>[] = [
  ...['original', 'forwarded', 'rewrite'].flatMap((which) => [
    { [`x-${which}-uri`]: OPEN[0] },
    { [`x_${which}_uri`]: OPEN[0] },
    { [`x-${which}-method`]: 'OPTIONS', ...PREFLIGHT },
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

const isPage = ({ status, body }: Reply): boolean => status === 403 && body.includes('/.hv/gate.js')
const isShut = ({ status }: Reply): boolean => status > 299 && status < 500
const isOpen = (reply: Reply): boolean =>
  !isPage(reply) && reply.status !== 401 && reply.status < 500
const isFresh = ({ headers }: Reply): boolean =>
  headers['cache-control'] === 'no-store' && !('age' in headers)
const hasOnePolicy = ({ headers }: Reply): boolean =>
  String(headers['content-security-policy']).split('default-src').length === 2

/** @param page that nobody sees without a clearance. @param echo an open path that shows the headers it got. */
export async function doctor(page: string, echo?: string): Promise<readonly Finding[]> {
  const base = new URL(page)
  const here = base.pathname + base.search
  const findings: Finding[] = []
  async function look(
    check: string,
    asked: Asked,
    isGood: (reply: Reply) => boolean,
    advice: string,
  ): Promise<void> {
    const reply = await fetchRaw(base, ...asked)
    findings.push({
      check,
      saw: `status ${reply.status}`,
      advice: isGood(reply) ? undefined : advice,
    })
  }
  const inPlace =
    'expected 403 with the page: does the proxy ask the gate, and show its answer in place?'
  await look('navigation', [here, PAGE], isPage, inPlace)
  await look('form', [here, PAGE, 'POST'], isPage, inPlace)
  await look('cache', [here, PAGE], isFresh, 'Cache-Control: no-store is lost, or a cache answered')
  await look(
    'policy',
    [here, PAGE],
    hasOnePolicy,
    'do not add a Content-Security-Policy to answers of the gate',
  )
  await look(
    'fetch',
    [here, FETCH],
    ({ headers }) => 'hv-required' in headers,
    'pass on the headers of the gate',
  )
  await look(
    'websocket',
    [here, UPGRADE],
    ({ status }) => status === 401,
    'expected 401: an upgrade passes the gate',
  )
  const leak = 'the site answers OPTIONS with a page: allow OPTIONS only at paths where it does not'
  await look(
    'preflight',
    [here, PREFLIGHT, 'OPTIONS'],
    ({ status, body }) => status > 299 || body === '',
    leak,
  )
  const believed = 'the gate believes a header of the visitor: set each header of the sample'
  for (const forged of FORGED)
    await look(`forged ${Object.keys(forged)[0]}`, [here, { ...PAGE, ...forged }], isShut, believed)
  for (const path of SPELLINGS)
    await look(path, [path, PAGE], isShut, 'send the path to the gate as it came')
  for (const path of OPEN)
    await look(path, [path, PAGE], isOpen, 'expected the answer of your site')
  const file: Asked = ['/.hv/gate.js', {}]
  await look(
    '/.hv/',
    file,
    ({ status }) => status === 200,
    'expected 200: send /.hv/ to the gate, without a check',
  )
  const cross: Asked = ['/.hv/pass', { 'sec-fetch-site': 'cross-site' }, 'POST']
  await look(
    'another site',
    cross,
    ({ status }) => status === 403,
    'expected 403: keep the headers of the visitor',
  )
  await look(
    'scheme',
    file,
    () => base.protocol === 'https:',
    'use TLS: over http the cookie has no Secure',
  )
  const given = 'the site gets X-HV-Clearance of the visitor: let the proxy set it'
  const own: Asked = [echo ?? '', { 'x-hv-clearance': 'forged-by-doctor' }]
  if (echo !== undefined)
    await look('X-HV-Clearance', own, ({ body }) => !body.includes('forged-by-doctor'), given)
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
