/** The header of a load balancer that passes connections on: https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isIP } from 'node:net'
import { readProxyHeader } from '../../../../src/http/server/proxy-protocol.ts'

const SIGNATURE = '0d0a0d0a000d0a515549540a'
const REQUEST = 'GET / HTTP/1.1\r\n\r\n'

const text = (line: string) => Buffer.from(line, 'latin1')
const binary = (hex: string) => Buffer.from(`${SIGNATURE}${hex}`, 'hex')

const V4 = '2111000ccb007107c0000201d43101bb'
const V6 = '2121002420010db800000000000000000000000120010db8000000000000000000000002d43101bb'
const GENUINE: [what: string, header: Buffer, source: string | undefined][] = [
  ['version 1, IPv4', text('PROXY TCP4 203.0.113.7 192.0.2.1 54321 443\r\n'), '203.0.113.7'],
  ['version 1, IPv6', text('PROXY TCP6 2001:db8::1 2001:db8::2 54321 443\r\n'), '2001:db8::1'],
  ['version 1, unknown', text('PROXY UNKNOWN\r\n'), undefined],
  ['version 1, unknown with words', text('PROXY UNKNOWN ffff:f::1 ffff::1 65535 65535\r\n'), undefined],
  ['version 2, IPv4', binary(V4), '203.0.113.7'],
  ['version 2, IPv4 with additions', binary(`2111000f${V4.slice(8)}040000`), '203.0.113.7'],
  ['version 2, IPv6', binary(V6), '2001:db8:0:0:0:0:0:1'],
  ['version 2, LOCAL', binary('20000000'), undefined],
  ['version 2, LOCAL with addresses', binary(`20${V4.slice(2)}`), undefined],
  ['version 2, a socket file', binary(`213100d8${'00'.repeat(216)}`), undefined],
]

describe('a genuine header', () => {
  test.each(GENUINE)('%s names its source, and ends where it ends', (_what, header, source) => {
    expect(readProxyHeader(Buffer.concat([header, text(REQUEST)]))).toEqual({
      at: 'whole',
      length: header.length,
      source,
    })
  })
  test.each(GENUINE)('%s is incomplete until its last byte', (_what, header) => {
    for (let i = 0; i < header.length; i++) {
      expect([i, readProxyHeader(header.subarray(0, i)).at]).toEqual([i, 'incomplete'])
    }
  })
})

test.each([
  ['a request', text(REQUEST)],
  ['another word', text('PROXIES TCP4 203.0.113.7 192.0.2.1 1 2\r\n')],
  ['a family that is not the address', text('PROXY TCP6 203.0.113.7 192.0.2.1 1 2\r\n')],
  ['a name', text('PROXY TCP4 localhost 192.0.2.1 1 2\r\n')],
  ['octal parts', text('PROXY TCP4 203.0.113.07 192.0.2.1 1 2\r\n')],
  ['no ports', text('PROXY TCP4 203.0.113.7 192.0.2.1\r\n')],
  ['a port that is none', text('PROXY TCP4 203.0.113.7 192.0.2.1 1 65536\r\n')],
  ['two blanks', text('PROXY TCP4  203.0.113.7 192.0.2.1 1 2\r\n')],
  ['a line without an end', text(`PROXY UNKNOWN ${'x'.repeat(100)}`)],
  ['version 3', binary(`31${V4.slice(2)}`)],
  ['an unknown command', binary(`22${V4.slice(2)}`)],
  ['too few bytes for its addresses', binary(`2111000b${'00'.repeat(11)}`)],
  ['more bytes than are read', binary('21111001')],
])('%s is refused', (_what, bytes) => {
  expect(readProxyHeader(bytes)).toEqual({ at: 'invalid' })
})

test('whatever comes, it says something, and what it calls an address is one', () => {
  const genuine = fc.constantFrom(...GENUINE.map(([, header]) => header))
  const changed = fc.tuple(genuine, fc.nat(300), fc.nat(255)).map(([header, at, byte]) => {
    const bytes = Buffer.from(header)
    bytes[at % bytes.length] = byte
    return bytes
  })
  const any = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    changed,
  )
  fc.assert(
    fc.property(any, (bytes) => {
      const header = readProxyHeader(bytes)
      const { length, source } = header.at === 'whole' ? header : { length: 0, source: undefined }
      expect(length).toBeLessThanOrEqual(bytes.length)
      expect(source === undefined || isIP(source) !== 0).toBe(true)
    }),
    { numRuns: 20_000 },
  )
})
