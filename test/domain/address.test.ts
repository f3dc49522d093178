import { expect, test } from '@jest/globals'
import { type AddressMark, compareAddresses, networkOf, parseAddress } from '../../src/domain/address.ts'

test.each([
  ['203.0.113.7', { family: 4, scope: 'public', network: '203.0.113.7', truncated: '203.0.113.0/24' }],
  ['::ffff:203.0.113.7', { family: 4, scope: 'public', network: '203.0.113.7', truncated: '203.0.113.0/24' }],
  ['::ffff:cb00:7107', { family: 4, scope: 'public', network: '203.0.113.7', truncated: '203.0.113.0/24' }],
  ['127.0.0.1', { family: 4, scope: 'private', network: '127.0.0.1', truncated: '127.0.0.0/24' }],
  ['10.1.2.3', { family: 4, scope: 'private', network: '10.1.2.3', truncated: '10.1.2.0/24' }],
  ['100.64.1.1', { family: 4, scope: 'private', network: '100.64.1.1', truncated: '100.64.1.0/24' }],
  ['2001:db8:1:2:3:4:5:6', { family: 6, scope: 'public', network: '2001:db8:1:2::/64', truncated: '2001:db8:1::/48' }],
  ['2001:DB8:1:2::', { family: 6, scope: 'public', network: '2001:db8:1:2::/64', truncated: '2001:db8:1::/48' }],
  ['::1', { family: 6, scope: 'private', network: '::/64', truncated: '::/48' }],
  ['192.168.0.9', { family: 4, scope: 'private', network: '192.168.0.9', truncated: '192.168.0.0/24' }],
  ['169.254.1.1', { family: 4, scope: 'private', network: '169.254.1.1', truncated: '169.254.1.0/24' }],
  ['0.0.0.0', { family: 4, scope: 'private', network: '0.0.0.0', truncated: '0.0.0.0/24' }],
  ['::', { family: 6, scope: 'private', network: '::/64', truncated: '::/48' }],
  ['fd00:1::5', { family: 6, scope: 'private', network: 'fd00:1::/64', truncated: 'fd00:1::/48' }],
  ['fe80::1', { family: 6, scope: 'private', network: 'fe80::/64', truncated: 'fe80::/48' }],
])('%s is read', (text, address) => {
  expect(parseAddress(text)).toEqual(address)
})

test.each([
  '',
  'unknown',
  '1.2.3',
  '1.2.3.4:80',
  '[::1]',
  'fe80::1%eth0',
  '010.1.1.1',
  '0x7f.1',
  '1.2.3.4/24',
  '1.2.3.256',
  ' 1.2.3.4',
])('"%s" is not an address', (text) => {
  expect(parseAddress(text)).toBeUndefined()
})

const mark: AddressMark = { family: 4, scope: 'public', hash: 'a' }
test.each([
  { then: 'same', other: { ...mark } },
  { then: 'other', other: { ...mark, hash: 'b' } },
  { then: 'not-comparable', other: { ...mark, hash: 'b', family: 6 as const } },
  { then: 'not-comparable', other: { ...mark, scope: 'private' as const } },
])('two addresses are $then', ({ then, other }) => {
  expect(compareAddresses(mark, other)).toBe(then)
  expect(compareAddresses(other, mark)).toBe(then)
})

test('neighbours share the first 48 bits of their marks', () => {
  expect(networkOf('AAAABBBBCCCCDDDDEEEEFF')).toBe('AAAABBBB')
})
