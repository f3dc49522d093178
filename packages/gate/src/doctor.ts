/** Examines a protected page as a stranger meets it: without a clearance, and with everything that a stranger can forge. */
import { request as overHttp } from 'node:http'
import { request as overTls } from 'node:https'

export interface Finding {
  readonly check: string
  readonly saw: string
  /** What to do; undefined: nothing. */
  readonly advice: string | undefined
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}
type Headers = Readonly<Record<string, string>>

const NAVIGATION = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const FETCH = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const KEY = 'AAAAAAAAAAAAAAAAAAAAAA=='
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': KEY }
const PREFLIGHT = { origin: 'https://other.invalid', 'access-control-request-method': 'GET' }
const URIS = ['x-original-uri', 'x-forwarded-uri', 'x_original_uri', 'x_forwarded_uri', 'x-rewrite-url']
const FORGED: readonly Headers[] = [
  ...URIS.map((name) => ({ [name]: '/robots.txt' })),
  { 'x-forwarded-method': 'OPTIONS', 'x-original-method': 'OPTIONS', ...PREFLIGHT },
  { 'x-forwarded-host': 'forged.invalid' },
  { 'x-forwarded-for': '127.0.0.1' },
  { cookie: '__Host-hv=forged; hv=forged' },
]
const OPEN = ['/robots.txt', '/.well-known/acme-challenge/x']
/** What a server may take for an open path, or for another one. */
const SPELLINGS = [
  '/%72obots.txt',
  '//robots.txt',
  '/robots.txt/..%2fx',
  '/.well-known/../x',
  '/.hv/..%2fx',
  '/robots.txt;x',
]

const ADVICE = {
  page: 'expected 403 with the page: does the proxy ask the gate, and show its answer in place?',
  cache: 'Cache-Control: no-store is lost, or a cache answered',
  policy: 'your own Content-Security-Policy breaks the page: do not add it to answers of the gate',
  fetch: 'expected 401 with HV-Required: pass on the headers of the gate',
  websocket: 'expected 401: an upgrade passes the gate',
  preflight: 'the site answers OPTIONS with a page: add a rule {when: {method: [OPTIONS]}, effect: level 1}',
  forged: 'the gate believes a header of the visitor: set each header of the sample',
  spelling: 'a spelling of an open path is let in: is the path sent to the gate as it came?',
  open: 'expected the answer of your site',
  prefix: 'expected 200: send /.hv/ to the gate, without a check',
  'other site': 'expected 403: keep the headers of the visitor',
  scheme: 'over http the cookie has no Secure and no prefix: use TLS',
  clearance: 'the site gets X-HV-Clearance of the visitor: let the proxy set it',
} as const

const isPage = ({ status, body }: Reply): boolean => status === 403 && body.includes('/.hv/gate.js')
const isShut = (reply: Reply): boolean => isPage(reply) || (reply.status > 299 && reply.status < 500)
const isOpen = (reply: Reply): boolean => !isPage(reply) && reply.status !== 401 && reply.status < 500
const isFresh = ({ headers }: Reply): boolean => headers['cache-control'] === 'no-store' && !('age' in headers)
const hasOnePolicy = ({ headers }: Reply): boolean =>
  String(headers['content-security-policy']).split('default-src').length === 2

/** @param page that nobody sees without a clearance. @param echo an open page that shows the headers it got. */
export async function doctor(page: string, echo?: string): Promise<readonly Finding[]> {
  const { pathname, search, protocol } = new URL(page)
  const findings: Finding[] = []
  async function look(check: string, advice: keyof typeof ADVICE, isGood: (reply: Reply) => boolean, ...asked: Asked) {
    const reply = await fetchRaw(new URL(page), ...asked)
    findings.push({ check, saw: `status ${reply.status}`, advice: isGood(reply) ? undefined : ADVICE[advice] })
  }
  const here = pathname + search
  await look('navigation', 'page', isPage, here, NAVIGATION)
  await look('form', 'page', isPage, here, NAVIGATION, 'POST')
  await look('cache', 'cache', isFresh, here, NAVIGATION)
  await look('policy', 'policy', hasOnePolicy, here, NAVIGATION)
  await look('fetch', 'fetch', ({ headers }) => 'hv-required' in headers, here, FETCH)
  await look('websocket', 'websocket', ({ status }) => status === 401, here, UPGRADE)
  await look('preflight', 'preflight', ({ status, body }) => status > 299 || body === '', here, PREFLIGHT, 'OPTIONS')
  for (const headers of FORGED)
    await look(`forged ${Object.keys(headers)[0]}`, 'forged', isShut, here, { ...NAVIGATION, ...headers })
  for (const path of SPELLINGS) await look(path, 'spelling', isShut, path, NAVIGATION)
  for (const path of OPEN) await look(path, 'open', isOpen, path, NAVIGATION)
  await look('/.hv/', 'prefix', ({ status }) => status === 200, '/.hv/gate.js')
  const cross = { 'sec-fetch-site': 'cross-site' }
  await look('another site', 'other site', ({ status }) => status === 403, '/.hv/pass', cross, 'POST')
  await look('scheme', 'scheme', () => protocol === 'https:', '/.hv/gate.js')
  if (echo !== undefined) {
    const forged = { 'x-hv-clearance': 'forged-by-doctor' }
    await look('X-HV-Clearance', 'clearance', ({ body }) => !body.includes('forged-by-doctor'), echo, forged)
  }
  return findings
}

type Asked = [path: string, headers?: Headers, method?: string]
/** As `fetch`, but with every path and header as they are. */
function fetchRaw(base: URL, ...[path, headers = {}, method = 'GET']: Asked): Promise<Reply> {
  const { protocol, hostname, port, host } = base
  return new Promise((resolve, reject) => {
    const options = {
      hostname,
      port,
      path,
      method,
      headers: { host, ...headers },
      timeout: 15_000,
      agent: false as const,
    }
    const req = (protocol === 'https:' ? overTls : overHttp)(options)
    req.on('response', (res) => {
      let body = ''
      res.setEncoding('utf8').on('data', (text: string) => (body += text))
      res.on('end', () => resolve({ status: res.statusCode!, headers: res.headers, body }))
    })
    req.on('upgrade', ({ statusCode, headers: given }, socket) => {
      socket.destroy()
      resolve({ status: statusCode!, headers: given, body: '' })
    })
    req.on('timeout', () => req.destroy(new Error(`${base.href}: no answer in 15 s`)))
    req.on('error', reject).end()
  })
}
