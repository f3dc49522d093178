/** docs/design/threats.md#t18: whose address and which id a request is said to have. Read from the log, which shows the network only. */
import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { ORIGIN, SECRET, SITEKEY } from '../../support/app.ts'
import { BROWSER, post, solved, token } from '../../support/visitor.ts'
import { type Edge, edge, failure } from './edge.ts'

const ADDRESSES = ['203.0.113.7', '198.51.100.9', '2001:db8:1:2']
const trustedProxies = ['127.0.0.1/32', '10.0.0.0/8', 'fd00::/8']
const trusting = edge({ trustedProxies }, (e) => e.keepSecret(...ADDRESSES))
const careful = edge({}, (e) => e.keepSecret(...ADDRESSES, '127.0.0.1'))

const PEER = '127.0.0.0/24'
const VISITOR = '203.0.113.0/24'
/** A trusted proxy's own address never stands for its visitors. */
const NOBODY = undefined

/** Returns the line that the log has of a request with these headers. */
async function lineOf(e: Edge, headers: readonly (readonly [string, string])[]) {
  const answer = await e.form('challenge', { sitekey: SITEKEY, action: 'sign-up' }, [
    ['Origin', ORIGIN],
    ...headers,
  ])
  expect(answer).toMatchObject({ status: 200, soon: true })
  return e.service.lines().findLast((line) => line['message'] === 'challenge')
}
const networkSeen = async (...asked: Parameters<typeof lineOf>) =>
  (await lineOf(...asked))?.['network']

describe('behind a proxy that is trusted', () => {
  test.each([
    ['203.0.113.7', VISITOR],
    ['::ffff:203.0.113.7', VISITOR],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['198.51.100.9,203.0.113.7,10.1.2.3', VISITOR],
    ['unknown, 203.0.113.7', VISITOR],
    ['<script>, 203.0.113.7, fd00::1', VISITOR],
    [`${'198.51.100.9, '.repeat(500)}203.0.113.7`, VISITOR],
    ['10.9.9.9', '10.9.9.0/24'],
    ['203.0.113.7, unknown', NOBODY],
    // A proxy that adds an empty element names no address: what comes before it is the visitor's own claim.
    ['203.0.113.7,', NOBODY],
    ['203.0.113.7, ,10.1.2.3', NOBODY],
    ['unknown', NOBODY],
    ['localhost', NOBODY],
    ['', NOBODY],
    ['203.0.113.7:1234', VISITOR],
    ['203.0.113.7:1234, 10.1.2.3:80, [fd00::1]:443', VISITOR],
    ['[2001:db8:1:2::1]', '2001:db8:1::/48'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1::/48'],
    ['203.0.113.7:123456', NOBODY],
    ['fe80::1%eth0', NOBODY],
    ['0xcb.0.113.7', NOBODY],
    ['3405803783', NOBODY],
    ['"203.0.113.7"', NOBODY],
    ['for=203.0.113.7', NOBODY],
    ['x'.repeat(5000), NOBODY],
  ])('X-Forwarded-For: %s is %s', async (value, network) => {
    expect(await networkSeen(trusting, [['X-Forwarded-For', value]])).toBe(network)
  })
  test('the header twice: the last one counts', async () => {
    const headers = [
      ['X-Forwarded-For', '198.51.100.9'],
      ['x-forwarded-for', '203.0.113.7'],
    ] as const
    expect(await networkSeen(trusting, headers)).toBe(VISITOR)
  })
  test.each(['Forwarded', 'X-Real-IP', 'True-Client-IP', 'CF-Connecting-IP', 'Via'])(
    '%s is not read',
    async (name) => {
      const value = name === 'Forwarded' ? 'for=203.0.113.7' : '203.0.113.7'
      expect(await networkSeen(trusting, [[name, value]])).toBe(NOBODY)
    },
  )
})

test('a solved body is not even parsed when another address sends it again', async () => {
  const { ask } = trusting.service
  const from = (address: string) =>
    [['Origin', ORIGIN], ...Object.entries(BROWSER), ['X-Forwarded-For', address]] as const
  const body = await solved({ ...ask, headers: { ...BROWSER, 'x-forwarded-for': '203.0.113.7' } })
  expect(await trusting.form('solve', body, from('203.0.113.7'))).toMatchObject({ status: 200 })
  for (const [address, code] of [
    ['198.51.100.9', 'challenge-expired'],
    ['203.0.113.7', 'bad-request'],
  ] as const) {
    const unreadable = `signals=%&challenge=${body.challenge}`
    expect(await trusting.form('solve', unreadable, from(address))).toMatchObject(
      failure(400, code),
    )
    const cut = `{ "challenge" : "${body.challenge}"`
    expect(await trusting.json('solve', cut, from(address))).toMatchObject(failure(400, code))
  }
})

const cloudflare = edge({ trustedProxies, clientIpHeader: 'cf-connecting-ip' })
const rfc7239 = edge({ trustedProxies, clientIpHeader: 'forwarded' })
test.each([
  ['CF-Connecting-IP', '203.0.113.7', VISITOR, cloudflare],
  ['X-Forwarded-For', '203.0.113.7', NOBODY, cloudflare],
  ['X-Forwarded-For', '203.0.113.7', NOBODY, rfc7239],
  ['Forwarded', 'For="203.0.113.7:1234";proto=https', VISITOR, rfc7239],
  ['Forwarded', 'proto=https;for="[2001:db8:1:2::1]:4711"', '2001:db8:1::/48', rfc7239],
  ['Forwarded', 'for=198.51.100.9, for=203.0.113.7, for=10.0.0.1', VISITOR, rfc7239],
  ['Forwarded', 'for="198.51.100.9, for=203.0.113.7', VISITOR, rfc7239],
  ['Forwarded', 'for=203.0.113.7, for=unknown', NOBODY, rfc7239],
  ['Forwarded', 'by=203.0.113.7', NOBODY, rfc7239],
])('with the setting client_ip_header, %s: %s is %s', async (name, value, network, e) => {
  expect(await networkSeen(e, [[name, value]])).toBe(network)
})

describe('a proxy whose header is not readable', () => {
  const notReadable = (e: Edge) =>
    e.service.lines().filter((line) => line['message'] === 'visitor address not readable')
  const named = edge({ trustedProxies })
  const silent = edge({ trustedProxies })
  test('is logged once, without the header', async () => {
    for (const value of ['unknown', '_hidden', 'a-name.example'])
      await networkSeen(named, [['X-Forwarded-For', value]])
    const lines = notReadable(named)
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', network: PEER, hint: expect.any(String) }),
    ])
    expect(JSON.stringify(lines)).not.toMatch(/_hidden|a-name/)
  })
  test('is logged where it sends none, not where the address is behind 150 other headers', async () => {
    const many = Array.from({ length: 150 }, (_, i) => [`s${i}`, '1'] as const)
    expect(await networkSeen(silent, [...many, ['X-Forwarded-For', '203.0.113.7']])).toBe(VISITOR)
    expect(notReadable(silent)).toEqual([])
    expect(await networkSeen(silent, [])).toBe(NOBODY)
    expect(notReadable(silent)).toHaveLength(1)
  })
})

test.each(['203.0.113.7', '203.0.113.7, 127.0.0.1', '127.0.0.1, 203.0.113.7'])(
  'where no proxy is trusted, X-Forwarded-For: %s is anybody’s claim',
  async (value) => expect(await networkSeen(careful, [['X-Forwarded-For', value]])).toBe(PEER),
)

test.each([
  ['203.0.113.7', '::ffff:203.0.113.7', []],
  ['203.0.113.7', '203.0.113.8', ['remoteip-mismatch']],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', []],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', ['remoteip-mismatch']],
  ['203.0.113.7', '2001:db8:1:2::1', []],
  // As handlers send it that copy a header.
  ['203.0.113.7', '203.0.113.7:4711', []],
  ['2001:db8:1:2::1', '[2001:db8:1:2::9]:4711', []],
  ['203.0.113.7', '203.0.113.7, 10.0.0.1', []],
  ['203.0.113.7', 'unknown', []],
  ['203.0.113.7', '203.0.113.7, 198.51.100.9', ['remoteip-mismatch']],
  ['203.0.113.7', '203.0.113.8:4711, 10.0.0.1', ['remoteip-mismatch']],
  // Whoever puts an address in front of his own is still known by his own.
  ['198.51.100.9, 203.0.113.7', '198.51.100.9', ['remoteip-mismatch']],
])('solved from "%s", remoteip %s: %j', async (forwarded, remoteip, codes) => {
  const { service } = trusting
  const response = await token({
    ...service.ask,
    headers: { ...BROWSER, 'x-forwarded-for': forwarded },
  })
  const { status, body } = await post(`${service.base}/api/v1/siteverify`, {
    secret: SECRET,
    response,
    remoteip,
  })
  expect([status, body['success'], body['error-codes']]).toEqual([200, codes.length === 0, codes])
})

// One id for the proxy's log, ours and the customer.
describe('the request id', () => {
  const idSeen = async (e: Edge, ...given: string[]) => {
    const line = await lineOf(
      e,
      given.map((value) => ['X-Request-Id', value] as const),
    )
    return line?.['request_id']
  }
  const OURS = /^[A-Za-z0-9_-]{22}$/
  const THEIRS = '7f8d3a52-0f5e-4c0e-9a51-6c1f6f3f2d11'
  test('is set by a trusted proxy, and answered, also with a 404', async () => {
    expect(await idSeen(trusting, THEIRS)).toBe(THEIRS)
    await request(trusting.service.url)
      .get('/nothing')
      .set('x-request-id', THEIRS)
      .expect('x-request-id', THEIRS)
  })
  test('is not set by an untrusted client', async () => {
    expect(await idSeen(careful, THEIRS)).toMatch(OURS)
  })
  test.each([
    ['too short', ['abc']],
    ['too long', ['a'.repeat(65)]],
    ['with a space', ['aaaa aaaa']],
    ['with what a log could take for markup', ['aaaa"}{"level":"error"']],
    ['given twice', [THEIRS, THEIRS]],
  ])('that is %s is replaced', async (_what, given) => {
    expect(await idSeen(trusting, ...given)).toMatch(OURS)
  })
})
