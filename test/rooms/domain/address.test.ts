import { expect, test } from '@jest/globals'
import { type AddressHash, compareAddresses, networkOf } from '../../../src/domain/address-hash.ts'
import { parseAddress } from '../../../src/domain/address.ts'

test.each([
  ['203.0.113.7', 'public', '203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', 'public', '203.0.113.7', '203.0.113.0/24'],
  ['64:ff9b::203.0.113.7', 'public', '203.0.113.7', '203.0.113.0/24'],
  ['64:ff9b::a00:1', 'private', '10.0.0.1', '10.0.0.0/24'],
  ['::ffff:cb00:7107', 'public', '203.0.113.7', '203.0.113.0/24'],
  ['127.0.0.1', 'private', '127.0.0.1', '127.0.0.0/24'],
  ['10.1.2.3', 'private', '10.1.2.3', '10.1.2.0/24'],
  ['100.64.1.1', 'private', '100.64.1.1', '100.64.1.0/24'],
  ['192.168.0.9', 'private', '192.168.0.9', '192.168.0.0/24'],
  ['169.254.1.1', 'private', '169.254.1.1', '169.254.1.0/24'],
  ['0.0.0.0', 'private', '0.0.0.0', '0.0.0.0/24'],
])('%s is read: %s, %s of %s', (text, scope, subscriber, network) => {
  expect(parseAddress(text)).toEqual({ family: 4, scope, subscriber, network, subnet: subscriber })
})

test.each([
  ['2001:db8:1:2:3:4:5:6', 'public', '2001:db8:1:2::/64', '2001:db8:1::/56', '2001:db8:1::/48'],
  ['2001:DB8:1:2::', 'public', '2001:db8:1:2::/64', '2001:db8:1::/56', '2001:db8:1::/48'],
  ['::1', 'private', '::/64', '::/56', '::/48'],
  ['::', 'private', '::/64', '::/56', '::/48'],
  ['fd00:1::5', 'private', 'fd00:1::/64', 'fd00:1::/56', 'fd00:1::/48'],
  ['fe80::1', 'private', 'fe80::/64', 'fe80::/56', 'fe80::/48'],
])('%s is read: %s, %s in %s of %s', (text, scope, subscriber, ...[subnet, network]) => {
  expect(parseAddress(text)).toEqual({ family: 6, scope, subscriber, network, subnet })
})

test.each([
  { then: 'same', other: '4ga' },
  { then: 'other', other: '4gb' },
  { then: 'not-comparable', other: '6gb' },
  { then: 'not-comparable', other: '4pa' },
] as { then: string; other: AddressHash }[])('two addresses are $then', ({ then, other }) => {
  const hash = '4ga' as AddressHash
  expect(compareAddresses(hash, other)).toBe(then)
  expect(compareAddresses(other, hash)).toBe(then)
})

test('neighbours share the first 48 bits of their hashes', () => {
  expect(networkOf('4gAAAABBBBCCCCDDDDEEEEFF')).toBe('4gAAAABBBB')
})
