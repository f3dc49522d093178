import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { newFolder } from '../../../test/support/close-later.ts'
import { CLIENTS, FETCHED, RULES, STRANGER } from '../../../test/support/gate-clients.ts'
import { fetchedFileOf, fetchLists, rangesIn, readFetched } from '../src/fetched-lists.ts'
import { GUEST_LISTS, GUESTS, LIST_NAMES } from '../src/guest-lists.ts'
import { Guests, oldGuests } from '../src/guests.ts'
import { parseRange, RangeTable } from '../src/ranges.ts'
import { ruleOf } from '../src/rules.ts'
import type { Visit } from '../src/visit.ts'

const guests = new Guests(FETCHED)

test.each(CLIENTS)('$who meets the rule $rule, and is $is', ({ rule, is, ...client }) => {
  const { agent, address = STRANGER, target = '/page', method = 'GET', headers = {} } = client
  const visit: Visit = {
    method,
    target,
    address,
    host: 'www.example.com',
    origin: 'https://www.example.com',
    isSecure: true,
    headers: { 'user-agent': agent, ...headers },
  }
  const identity = guests.identify(visit)
  expect({ rule: ruleOf(visit, RULES, identity).name, is: identity.strength }).toEqual({ rule, is })
})

describe('the lists that ship', () => {
  test.each(LIST_NAMES)('%s has a date, and a source and usable ranges for each guest', (name) => {
    const { about, date, guests: all } = GUEST_LISTS[name]
    expect(about).toMatch(/\.$/)
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    for (const { source, ranges, when, published } of all) {
      expect(source).toMatch(/^https:/)
      expect(published?.url ?? 'https:').toMatch(/^https:/)
      for (const range of ranges ?? []) expect(parseRange(range)).toBeDefined()
      // Who is known by no address is let in at listed paths alone.
      expect(ranges !== undefined || when.path !== undefined).toBe(true)
      expect(when.method).toBeDefined()
    }
  })

  test('are named in the package', () => {
    const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
    expect(JSON.parse(manifest).files).toContain('lists')
  })
})

test('a table finds what scanning finds', () => {
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6().filter((text) => !text.includes('::ffff:')),
  )
  const range = address.chain((text) =>
    fc.integer({ min: 1, max: text.includes(':') ? 128 : 32 }).map((bits) => `${text}/${bits}`),
  )
  fc.assert(
    fc.property(fc.array(range, { maxLength: 50 }), fc.array(address), (ranges, addresses) => {
      const table = new RangeTable<string>()
      for (const each of ranges) table.add(parseRange(each)!, each)
      const starts = ranges.map((each) => each.replace(/\/.*/, ''))
      for (const each of [...addresses, ...starts]) {
        const ip = ipaddr.process(each)
        const scanned = ranges.filter((one) => {
          const [network, bits] = ipaddr.parseCIDR(one)
          return network.kind() === ip.kind() && ip.match(network, bits)
        })
        expect([...table.find(each)].sort()).toEqual(scanned.sort())
      }
    }),
  )
  expect(new RangeTable().find('unknown')).toEqual([])
})

describe('lists fetch', () => {
  test.each([
    {
      what: 'the JSON of search engines',
      text: '{"creationTime":"2026-11-01T00:00:00","prefixes":[{"ipv4Prefix":"192.0.2.0/27"},{"ipv6Prefix":"2001:db8::/64"}]}',
      ranges: ['192.0.2.0/27', '2001:db8::/64'],
    },
    {
      what: 'one member of a JSON',
      text: '{"hooks":["192.0.2.0/27"],"actions":["198.51.100.0/24"]}',
      member: 'hooks',
      ranges: ['192.0.2.0/27'],
    },
    {
      what: 'lines',
      text: '# probes\r\n192.0.2.1\r\n\n2001:db8::1 # one\n',
      ranges: ['192.0.2.1', '2001:db8::1'],
    },
  ])('reads $what', ({ text, member, ranges }) => {
    expect(rangesIn(text, { url: 'https://x', ...(member !== undefined && { member }) })).toEqual(
      ranges,
    )
  })

  test.each([
    '',
    '<!doctype html><p>Moved',
    '{"prefixes":[]}',
    '0.0.0.0/0',
    '8.0.0.0/7',
    '192.0.2.0/24\n::/1',
    '{}',
    'null',
  ])('takes nothing from %j', (text) => {
    expect(() => rangesIn(text, { url: 'https://x' })).toThrow(/has no ranges|is too wide/)
  })

  test('keeps the ranges of what cannot be fetched, and dates the others', async () => {
    const file = fetchedFileOf(join(newFolder(), 'hv-gate.yaml'))
    writeFileSync(
      file,
      JSON.stringify({ bingbot: { date: '2026-01-01', ranges: ['192.0.2.0/24'] } }),
    )
    const answers = {
      'api.github': '{"hooks":["198.51.100.0/24"]}',
      stripe: '{"WEBHOOKS":["198.51.100.9"]}',
    }
    async function get(url: string): Promise<string> {
      if (url.includes('bing')) throw new Error('status 503')
      const known = Object.entries(answers).find(([name]) => url.includes(name))
      return known?.[1] ?? '198.51.100.7'
    }
    const results = await fetchLists(file, new Date('2026-11-29T12:00:00Z'), get)
    expect(results.filter(({ isGood }) => !isGood).map(({ name }) => name)).toEqual(['bingbot'])
    expect(readFetched(file)).toMatchObject({
      bingbot: { date: '2026-01-01', ranges: ['192.0.2.0/24'] },
      googlebot: { date: '2026-11-29', ranges: ['198.51.100.7'] },
      'github-hooks': { ranges: ['198.51.100.0/24'] },
    })
  })

  test.each([
    '{',
    '[1]',
    '{"x":{"date":"2026-01-01","ranges":["0.0.0.0/1"]}}',
    '{"x":{"ranges":[]}}',
  ])('%s beside the configuration is an error that says what to do', (text) => {
    const file = fetchedFileOf(join(newFolder(), 'hv-gate.yaml'))
    writeFileSync(file, text)
    expect(() => readFetched(file)).toThrow('run hv-gate lists fetch again')
  })
})

test('lists that are older than 60 days are named, where they are used', () => {
  const now = Date.parse('2026-11-29T00:00:00Z')
  const old = oldGuests(
    ['search-engines', 'monitors', 'feeds'],
    { ...FETCHED, bingbot: { date: '2026-09-29', ranges: ['192.0.2.1'] } },
    now,
  )
  expect(old.filter((each) => /^(uptimerobot|duckduckbot|feeds)/.test(each))).toEqual([])
  expect(old).toContain('bingbot: ranges are 61 days old; run: hv-gate lists fetch')
  expect(old).toContain('pingdom: no ranges yet; run: hv-gate lists fetch')
  expect(oldGuests(['feeds'], {}, now)).toEqual([])
  expect(GUESTS.length).toBeGreaterThan(15)
})
