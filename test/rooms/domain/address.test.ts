import { expect, test } from '@jest/globals'
import { type AddressMark, compareAddresses, networkOf } from '../../../src/domain/address-mark.ts'
import { parseAddress } from '../../../src/domain/address.ts'

test.each([
  [
    '203.0.113.7',
    { family: 4, scope: 'public', subscriber: '203.0.113.7', network: '203.0.113.0/24', subnet: '203.0.113.7' },
  ],
  [
    '::ffff:203.0.113.7',
    { family: 4, scope: 'public', subscriber: '203.0.113.7', network: '203.0.113.0/24', subnet: '203.0.113.7' },
  ],
  [
    '::ffff:cb00:7107',
    { family: 4, scope: 'public', subscriber: '203.0.113.7', network: '203.0.113.0/24', subnet: '203.0.113.7' },
  ],
  ['127.0.0.1', { family: 4, scope: 'private', subscriber: '127.0.0.1', network: '127.0.0.0/24', subnet: '127.0.0.1' }],
  ['10.1.2.3', { family: 4, scope: 'private', subscriber: '10.1.2.3', network: '10.1.2.0/24', subnet: '10.1.2.3' }],
  [
    '100.64.1.1',
    { family: 4, scope: 'private', subscriber: '100.64.1.1', network: '100.64.1.0/24', subnet: '100.64.1.1' },
  ],
  [
    '2001:db8:1:2:3:4:5:6',
    {
      family: 6,
      scope: 'public',
      subscriber: '2001:db8:1:2::/64',
      network: '2001:db8:1::/48',
      subnet: '2001:db8:1::/56',
    },
  ],
  [
    '2001:DB8:1:2::',
    {
      family: 6,
      scope: 'public',
      subscriber: '2001:db8:1:2::/64',
      network: '2001:db8:1::/48',
      subnet: '2001:db8:1::/56',
    },
  ],
  ['::1', { family: 6, scope: 'private', subscriber: '::/64', network: '::/48', subnet: '::/56' }],
  [
    '192.168.0.9',
    { family: 4, scope: 'private', subscriber: '192.168.0.9', network: '192.168.0.0/24', subnet: '192.168.0.9' },
  ],
  [
    '169.254.1.1',
    { family: 4, scope: 'private', subscriber: '169.254.1.1', network: '169.254.1.0/24', subnet: '169.254.1.1' },
  ],
  ['0.0.0.0', { family: 4, scope: 'private', subscriber: '0.0.0.0', network: '0.0.0.0/24', subnet: '0.0.0.0' }],
  ['::', { family: 6, scope: 'private', subscriber: '::/64', network: '::/48', subnet: '::/56' }],
  [
    'fd00:1::5',
    { family: 6, scope: 'private', subscriber: 'fd00:1::/64', network: 'fd00:1::/48', subnet: 'fd00:1::/56' },
  ],
  ['fe80::1', { family: 6, scope: 'private', subscriber: 'fe80::/64', network: 'fe80::/48', subnet: 'fe80::/56' }],
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
