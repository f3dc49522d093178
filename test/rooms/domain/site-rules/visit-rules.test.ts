import { describe, expect, test } from '@jest/globals'
import { duringHours, parseHours } from '../../../../src/domain/site-rules/hours.ts'
import { NOTHING_KNOWN } from '../../../../src/domain/network.ts'
import { parseAddressRange } from '../../../../src/domain/site-rules/ranges.ts'
import { textPattern } from '../../../../src/domain/site-rules/text-pattern.ts'
import type {
  DescribedVisit,
  VisitConditions,
} from '../../../../src/domain/site-rules/visit-conditions.ts'
import {
  type RuleEffect,
  ruleMet,
  visitRule,
} from '../../../../src/domain/site-rules/visit-rules.ts'
import { unixSeconds } from '../../../../src/domain/words.ts'

const NOON = unixSeconds(Date.UTC(2026, 10, 21, 12) / 1000)
const visit: DescribedVisit = {
  range: parseAddressRange('192.0.2.7'),
  network: { asn: 64_496, country: 'DE', lists: [{ name: 'tor', kind: 'tor-exit' }] },
  userAgent: 'Mozilla/5.0 (X11) Firefox/153.0',
  ja4: 't13d1812h1_85036bcba153_b26ce05bbdd6',
  agent: 'chatgpt',
  action: 'sign-up',
  at: NOON,
}
const deny: RuleEffect = { kind: 'deny' }
const rule = (
  name: string,
  when: VisitConditions,
  more: { effect?: RuleEffect; until?: number } = {},
) =>
  visitRule({ name, when, effect: deny, until: undefined, ...more } as Parameters<
    typeof visitRule
  >[0])
const meets = (when: VisitConditions, change: Partial<DescribedVisit> = {}): boolean =>
  ruleMet([rule('r', when)], { ...visit, ...change }) !== undefined

describe('a condition', () => {
  test.each<[VisitConditions]>([
    [{ cidr: ['10.0.0.0/8', '192.0.2.0/24'] }],
    [{ list: ['vpn', 'tor'] }],
    [{ asn: [1, 64_496] }],
    [{ country: ['FR', 'DE'] }],
    [{ userAgent: ['firefox/'] }],
    [{ ja4: ['t13d1812h1_85036bcba153_*'] }],
    [{ agent: ['googlebot', 'chatgpt'] }],
    [{ agent: ['any'] }],
    [{ action: ['sign-up'] }],
    [{ hour: '12-13' }],
    [{ cidr: ['192.0.2.7'], asn: [64_496], country: ['DE'], action: ['sign-up'], hour: '9-17' }],
  ])('%j holds', (when) => expect(meets(when)).toBe(true))

  test.each<[VisitConditions]>([
    [{ cidr: ['192.0.3.0/24'] }],
    [{ list: ['vpn'] }],
    [{ asn: [64_497] }],
    [{ country: ['FR'] }],
    [{ userAgent: ['chrome', ''] }],
    [{ ja4: ['t13d1517h2_8daaf6152771_*'] }],
    [{ agent: ['googlebot'] }],
    [{ action: ['Sign-Up'] }],
    [{ hour: '13-12' }],
    [{ cidr: ['192.0.2.7'], country: ['FR'] }],
  ])('%j does not hold', (when) => expect(meets(when)).toBe(false))

  test.each<[VisitConditions, Partial<DescribedVisit>]>([
    [{ cidr: ['0.0.0.0/0', '::/0'] }, { range: undefined }],
    [{ ja4: ['*'] }, { ja4: undefined }],
    [{ asn: [64_496] }, { network: NOTHING_KNOWN }],
    [{ country: ['DE'] }, { network: undefined }],
    [{ list: ['tor'] }, { network: undefined }],
    [{ userAgent: ['*'] }, { userAgent: undefined }],
    // A log keeps the /24; only a part of it is in the range.
    [{ cidr: ['192.0.2.0/25'] }, { range: parseAddressRange('192.0.2.0/24') }],
  ])('%j does not match an unknown value', (when, change) =>
    expect(meets(when, change)).toBe(false),
  )
})

describe('the first rule that is met', () => {
  const rules = [
    rule('ended', { action: ['sign-up'] }, { until: NOON }),
    rule('elsewhere', { country: ['FR'] }),
    rule('first', { country: ['DE'] }, { until: NOON + 1 }),
    rule('second', { action: ['sign-up'] }),
  ]
  test('counts, and what has ended is passed over from its second on', () => {
    expect(ruleMet(rules, visit)?.name).toBe('first')
    expect(ruleMet(rules, { ...visit, at: unixSeconds(NOON + 1) })?.name).toBe('second')
    expect(ruleMet([], visit)).toBeUndefined()
  })

  test('has an id that depends on its conditions only', () => {
    const one = rule('one', { country: ['DE'] })
    expect(one.id).toMatch(/^[0-9a-f]{8}$/)
    expect(rule('other', { country: ['DE'] }, { until: 5 }).id).toBe(one.id)
    expect(rule('one', { country: ['FR'] }).id).not.toBe(one.id)
    expect(rule('one', { country: ['DE'] }, { effect: { kind: 'allow' } }).id).toBe(one.id)
  })
})

describe('a pattern', () => {
  test.each([
    ['bot', 'GoogleBot/2.1', true],
    ['bot*crawl', 'a BOT that can crawl', true],
    ['crawl*bot', 'a bot that can crawl', false],
    ['*', '', true],
    ['**', 'x', true],
    ['', '', true],
    ['', 'x', false],
    ['a.c', 'abc', false],
    ['(x|y', 'a (X|Y b', true],
    ['aa*a', 'aa', false],
  ])('%j in %j: %s', (pattern, text, is) => expect(textPattern(pattern)(text)).toBe(is))

  test('reads no more than 512 characters of a text', () => {
    expect(textPattern('bot')(`${'a'.repeat(509)}bot`)).toBe(true)
    expect(textPattern('bot')(`${'a'.repeat(510)}bot`)).toBe(false)
  })

  test('cannot be made slow: a hundred stars against 16 kB', () => {
    const matches = textPattern(`${'a*'.repeat(100)}b`)
    const started = performance.now()
    for (let i = 0; i < 100; i++) expect(matches('a'.repeat(16_384))).toBe(false)
    // Milliseconds here; an engine that tries every place for every star would not end.
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

describe('hours', () => {
  test.each(['9', '9-9', '24-6', '9-25', '9–17', '9-17h', '-1-5', '9.5-17', ''])(
    '%j are none',
    (text) => expect(parseHours(text)).toBeUndefined(),
  )

  test.each([
    ['9-17', 'UTC', [9, 16], [8, 17]],
    ['22-6', 'UTC', [22, 23, 0, 5], [6, 21]],
    ['0-24', 'UTC', [0, 12, 23], []],
    ['09-17', 'UTC', [9, 16], [8, 17]],
    ['23-0', 'UTC', [23], [0, 22]],
    // November: Berlin is an hour ahead, Kolkata five and a half.
    ['9-17', 'Europe/Berlin', [8, 15], [7, 16]],
    ['9-17', 'Asia/Kolkata', [4, 11], [3, 12]],
  ])('%s %s', (hours, zone, inside, outside) => {
    const during = duringHours(parseHours(hours)!, zone)
    const at = (hour: number) => unixSeconds(Date.UTC(2026, 10, 21, hour) / 1000)
    for (const hour of inside) expect([hour, during(at(hour))]).toEqual([hour, true])
    for (const hour of outside) expect([hour, during(at(hour))]).toEqual([hour, false])
  })

  test('follow summer time', () => {
    const during = duringHours(parseHours('9-10')!, 'Europe/Berlin')
    expect(during(unixSeconds(Date.UTC(2026, 6, 1, 7) / 1000))).toBe(true)
    expect(during(unixSeconds(Date.UTC(2026, 0, 1, 8) / 1000))).toBe(true)
  })
})
