import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import {
  type AddressRange,
  parseAddressRange,
  rangeSet,
} from '../../../../src/domain/site-rules/ranges.ts'

const read = (text: string): AddressRange => parseAddressRange(text)!
const set = (...texts: string[]) => rangeSet(texts.map(read))

describe('a range is read', () => {
  test.each([
    ['192.0.2.7', 4, '192.0.2.7', '192.0.2.7'],
    ['192.0.2.7/24', 4, '192.0.2.0', '192.0.2.255'],
    ['0.0.0.0/0', 4, '0.0.0.0', '255.255.255.255'],
    ['::ffff:192.0.2.0/120', 4, '192.0.2.0', '192.0.2.255'],
    ['2001:db8::/32', 6, '2001:db8::', '2001:db8:ffff:ffff::'],
    ['::ffff:0:0/96', 4, '0.0.0.0', '255.255.255.255'],
    ['::ffff:0:0/95', 6, '::', '::'],
    // Nobody is known more exactly than by the /64.
    ['2001:db8::1/128', 6, '2001:db8::', '2001:db8::'],
  ])('%s', (text, family, first, last) => {
    expect(parseAddressRange(text)).toEqual({
      family,
      first: read(first).first,
      last: read(last).last,
    })
  })

  const none =
    'x 192.0.2 192.0.2.7/33 192.0.2.7/ 192.0.2.7/-1 192.0.2.7/024 010.0.0.1 1.2.3.4:80 ::1/129 fe80::1%eth0'
  test.each(none.split(' '))('%j is none', (text) =>
    expect(parseAddressRange(text)).toBeUndefined(),
  )
})

describe('a set of ranges', () => {
  test('merges ranges that touch or overlap', () => {
    expect(
      set('10.0.0.0/9', '10.128.0.0/9', '10.1.0.0/16', '12.0.0.0/8', '2001:db8::/33').size,
    ).toBe(3)
  })

  test.each([
    ['10.0.0.0', 'all'],
    ['10.255.255.255', 'all'],
    ['9.255.255.255', 'none'],
    ['11.0.0.0', 'none'],
    ['2001:db8::1', 'all'],
    ['10.0.0.0/7', 'some'],
    ['8.0.0.0/5', 'some'],
    ['::a00:1', 'none'],
    ['0:0:a00:1::', 'none'],
    ['32.1.13.184', 'none'],
  ])('%s: %s', (text, coverage) => {
    expect(set('10.0.0.0/8', '2001:db8::/48').covers(read(text))).toBe(coverage)
  })

  test('gives the same answer as a linear search', () => {
    const cidr = fc.tuple(fc.nat(0xffff), fc.integer({ min: 16, max: 32 }))
    const address = ([n, bits]: [number, number]): AddressRange =>
      read(`10.0.${n >> 8}.${n & 255}${bits === 0 ? '' : `/${bits}`}`)
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 30 }), fc.nat(0xffff), (list, n) => {
        const ranges = list.map(address)
        const one = address([n, 32])
        const held = ranges.some(({ first, last }) => first <= one.first && one.last <= last)
        expect(rangeSet(ranges).covers(one)).toBe(held ? 'all' : 'none')
      }),
    )
  })
})
