/**
 * docs/design/threats.md#t31: haproxy and nginx in front of the service, each with connections to it that they keep and share.
 * Whatever an attacker sends on their own connection, the next visitors get exactly their own answers, and the
 * service sees no request that the proxy has not seen.
 */
import { describe, expect, test } from '@jest/globals'
import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import type { ResponseClaims } from '../../../src/claims/response.ts'
import type { Jti } from '../../../src/domain/words.ts'
import { bytesOf, open } from '../../support/raw.ts'
import { SECRET, SITEKEY, testService } from '../../support/app.ts'
import { startHaproxy, startNginx } from '../../support/proxies.ts'
import { token } from '../../support/visitor.ts'

const service = await testService()
const { tokens, clock, random } = service.parts
const claims = (await tokens.openResponse(
  await token(service.ask),
  SITEKEY,
  clock.now(),
)) as ResponseClaims
const proxies = [
  { name: 'haproxy', proxy: await startHaproxy([service.url], ['http-reuse always']) },
  { name: 'nginx', proxy: await startNginx([service.url]) },
]

/** What the service should take for a separate request, if the attack works. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\nX-Rest: '
const FORM = 'Content-Type: application/x-www-form-urlencoded'

const request = (headers: readonly string[], body: string, eol = '\r\n'): Buffer =>
  Buffer.from(
    ['POST /api/v1/siteverify HTTP/1.1', 'Host: x', FORM, ...headers, '', body].join(eol),
    'latin1',
  )
const ended = `0\r\n\r\n${SMUGGLED}`
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

/** Lengths that may be read in two ways, each with its body. */
const LENGTHS: [headers: string, body: string][] = [
  ['Content-Length: 6\r\nTransfer-Encoding: chunked', ended],
  [`Content-Length: ${ended.length}\r\nTransfer-Encoding: chunked`, ended],
  ['Transfer-Encoding: chunked\r\nContent-Length: 4', `${chunk(SMUGGLED)}0\r\n\r\n`],
  ['Content-Length: 3\r\nContent-Length: 3', `a=1${SMUGGLED}`],
  [`Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}`, SMUGGLED],
  [`Content-Length: ${SMUGGLED.length}\r\nContent-Length: 0`, SMUGGLED],
  [`Content-Length: 0, ${SMUGGLED.length}`, SMUGGLED],
  ['Content-Length: +0', SMUGGLED],
  ['Content-Length: 010', `a=12345678${SMUGGLED}`],
  ['Content-Length: 0x3', `a=1${SMUGGLED}`],
  ['Content-Length: 18446744073709551616', SMUGGLED],
  ['Content-Length:\t3', `a=1${SMUGGLED}`],
  ['Content-Length : 3', `a=1${SMUGGLED}`],
  ['Content-Length:\r\n 3', `a=1${SMUGGLED}`],
  ['Expect: 100-continue\r\nContent-Length: 3', `a=1${SMUGGLED}`],
  ['Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0', SMUGGLED],
]

const ENCODINGS = [
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;q=0.5',
  'Transfer-Encoding: CHUNKED',
  'Transfer-Encoding:\r\n chunked',
  'X: y\nTransfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  '\x00Transfer-Encoding: chunked',
  'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked',
  'Connection: Content-Length\r\nTransfer-Encoding: chunked',
]

const CHUNKS = [
  `3;x=y\r\na=1\r\n${ended}`,
  `3;x="\r\n0\r\n\r\n${SMUGGLED}"\r\na=1\r\n0\r\n\r\n`,
  `3;\na=1\r\n${ended}`,
  `3\na=1\n0\n\n${SMUGGLED}`,
  `3 \r\na=1\r\n${ended}`,
  ` 3\r\na=1\r\n${ended}`,
  `+3\r\na=1\r\n${ended}`,
  `-1\r\na=1\r\n${ended}`,
  `0x3\r\na=1\r\n${ended}`,
  `03\r\na=1\r\n${ended}`,
  `10000000000000003\r\na=1\r\n${ended}`,
  `3\r\na=1XX${ended}`,
  `3\r\na=1\r\n0\r\nX: y\r\nContent-Length: 9\r\n\r\n${SMUGGLED}`,
  `3\r\na=1\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n${SMUGGLED}`,
  `3\r\na=1\r\n00\r\n\r\n${SMUGGLED}`,
  `3\r\na=1\r\n0\n\r\n${SMUGGLED}`,
  `3\r\na=1\r\n0\r\n\n${SMUGGLED}`,
]

const SENT = [
  ...LENGTHS.map(([headers, body]) => request([headers], body)),
  ...ENCODINGS.flatMap((header) => [
    request([header, 'Content-Length: 5'], ended),
    request([header], ended),
  ]),
  ...['\n', '\r'].map((eol) => request(['Content-Length: 3'], `a=1${SMUGGLED}`, eol)),
  ...CHUNKS.map((body) => request(['Transfer-Encoding: chunked'], body)),
  Buffer.from(
    `GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  ),
  Buffer.from(
    `POST /api/v1/siteverify HTTP/1.0\r\n${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n${ended}`,
  ),
  Buffer.from(`GET /x HTTP/1.1\r\nHost: x\r\n\r\n${SMUGGLED} HTTP/1.1\r\nHost: x\r\n\r\n`),
].map((bytes): [said: string, bytes: Buffer] => [
  JSON.stringify(bytes.toString('latin1').split(FORM).at(-1)),
  bytes,
])

/** Sends and waits until nothing more comes. @returns how many answers there were. */
function attack(url: string, bytes: Buffer): Promise<number> {
  const socket = open(url)
  socket.write(bytes)
  return new Promise((resolve) => {
    let said = ''
    const quiet = setTimeout(() => socket.destroy(), 400)
    socket.on('data', (data: Buffer) => {
      said += data.toString('latin1')
      quiet.refresh()
      if (said.length > 0) setTimeout(() => socket.destroy(), 60)
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(quiet)
      resolve([...said.matchAll(/HTTP\/1\.[01] (?!100)/g)].length)
    })
  })
}

let visitors = 0
/** A customer identified by its token. @returns which answer went to whom. */
async function visit(url: string): Promise<string> {
  const cdata = `visitor-${visitors++}`
  const response = await tokens.signResponse({ ...claims, jti: random.id() as Jti, cdata })
  const body = new URLSearchParams({ secret: SECRET, response, action: 'sign-up' }).toString()
  const socket = open(url)
  socket.write(request([`Content-Length: ${body.length}`, 'Connection: close'], body))
  let said = ''
  for await (const data of socket) said += String(data)
  const answers = [...said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status).join()
  const own = said.includes('"success":true') && said.includes(`"cdata":"${cdata}"`)
  return answers === '200' && own ? 'their own answer' : said
}

/** What goes wrong for others after these bytes; undefined if nothing does. */
async function harm(url: string, bytes: Buffer): Promise<string[]> {
  const before = service.lines().length
  const answered = await attack(url, bytes)
  const answers = await Promise.all([visit(url), visit(url), visit(url)])
  // One line is written for each request when its answer is out; 499: the proxy went away before.
  const seen = service
    .lines()
    .slice(before)
    .filter(({ status, message }) => status !== 499 && message !== 'listening')
  const unseen =
    seen.length > answered + answers.length
      ? [`${seen.length} requests, ${answered} + 3 answers`]
      : []
  return [...unseen, ...answers.filter((answer) => answer !== 'their own answer')]
}

describe.each(proxies)('through $name', ({ proxy }) => {
  test.each(SENT)('%s affects no other visitor', async (_said, bytes) => {
    expect(await harm(proxy.url, bytes)).toEqual([])
  })

  test('random framing affects no other visitor', async () => {
    const others = [
      'TE: chunked',
      'Trailer: Content-Length',
      'content-length: 3,3',
      'Transfer-Encoding: ,chunked',
    ]
    const headerLines = constantFrom(
      ...LENGTHS.map(([headers]) => headers),
      ...ENCODINGS,
      ...others,
    )
    const pieces = constantFrom(
      '0\r\n\r\n',
      'a=1',
      '\r\n',
      '\n',
      SMUGGLED,
      'ffffffff\r\n',
      ';',
      '\0',
      ...CHUNKS,
    )
    await assert(
      asyncProperty(
        array(headerLines, { minLength: 1, maxLength: 3 }),
        array(pieces, { maxLength: 5 }),
        constantFrom('\r\n', '\r\n', '\r\n', '\n'),
        async (headers, body, eol) => {
          expect(await harm(proxy.url, request(headers, body.join(''), eol))).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })
})

test('control: of two requests in one packet the second is neither answered nor looked at', async () => {
  const before = service.lines().length
  const two = Buffer.concat([
    bytesOf({ method: 'GET', path: '/one' }),
    bytesOf({ method: 'GET', path: '/two' }),
  ])
  const answered = await attack(service.base, two)
  expect([answered, service.lines().length - before]).toEqual([1, 1])
  expect(await visit(service.base)).toBe('their own answer')
})
