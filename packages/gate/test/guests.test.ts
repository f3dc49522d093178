import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { newFolder } from '../../../test/support/close-later.ts'
import { fetchedFileOf, fetchLists, rangesIn, readFetched } from '../src/fetched-lists.ts'
import { GUEST_LISTS, GUESTS, LIST_NAMES } from '../src/guest-lists.ts'
import { Guests, oldGuests, rulesOfGuests } from '../src/guests.ts'
import { parseRange, RangeTable } from '../src/ranges.ts'
import { ruleOf } from '../src/rules.ts'
import type { RuleSettings } from '../src/settings.ts'
import type { Visit } from '../src/visit.ts'

const FETCHED = {
  uptimerobot: { date: '2026-11-01', ranges: ['192.0.2.128/28'] },
  duckduckbot: { date: '2026-11-01', ranges: ['198.51.100.44'] },
}
const guests = new Guests(FETCHED)
const HOOK: RuleSettings = {
  name: 'hook',
  when: { guest: ['webhooks'], path: ['/hooks/*'], method: ['POST'] },
  effect: 'allow',
}
const CLOSED: RuleSettings = { name: 'closed', when: { path: ['/closed/*'] }, effect: 'deny' }
const RULES = [CLOSED, HOOK, ...rulesOfGuests(LIST_NAMES.filter((name) => name !== 'webhooks'))]
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const BINGBOT = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'

interface Client {
  readonly who: string
  readonly rule: string
  readonly is: string
  readonly agent: string
  readonly address?: string
  readonly target?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}
const STRANGER = '203.0.113.7'
// Requests as these programs send them.
const CLIENTS: readonly Client[] = [
  { who: 'Googlebot', rule: 'googlebot', is: 'verified', agent: GOOGLEBOT, address: '66.249.66.1' },
  {
    who: 'Googlebot by IPv6',
    rule: 'googlebot',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '2001:4860:4801:10::7',
  },
  {
    who: 'Googlebot with a query',
    rule: 'googlebot',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '66.249.79.9',
    target: '/list?page=2',
  },
  { who: 'who lies to be Googlebot', rule: 'none', is: 'claimed', agent: GOOGLEBOT },
  {
    who: 'Googlebot that posts',
    rule: 'none',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '66.249.66.1',
    method: 'POST',
  },
  {
    who: 'Googlebot at what the owner closed',
    rule: 'closed',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '66.249.66.1',
    target: '/closed/x',
  },
  {
    who: 'Googlebot that upgrades',
    rule: 'none',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '66.249.66.1',
    headers: { upgrade: 'websocket' },
  },
  { who: 'bingbot', rule: 'bingbot', is: 'verified', agent: BINGBOT, address: '157.55.39.4' },
  { who: 'who lies to be bingbot', rule: 'none', is: 'claimed', agent: BINGBOT },
  {
    who: 'Applebot',
    rule: 'applebot',
    is: 'verified',
    agent: 'Applebot/0.1',
    address: '17.241.75.9',
  },
  { who: 'a Mac at Apple', rule: 'none', is: 'unknown', agent: BROWSER, address: '17.1.2.3' },
  {
    who: 'DuckDuckBot of the fetched list',
    rule: 'duckduckbot',
    is: 'verified',
    agent: 'DuckDuckBot/1.1',
    address: '198.51.100.44',
  },
  {
    who: 'Telegram',
    rule: 'telegram',
    is: 'verified',
    agent: 'TelegramBot (like TwitterBot)',
    address: '149.154.161.5',
  },
  {
    who: 'a program at Telegram',
    rule: 'none',
    is: 'verified',
    agent: 'x',
    address: '149.154.161.5',
  },
  {
    who: 'Facebook',
    rule: 'facebook-preview',
    is: 'verified',
    agent: 'facebookexternalhit/1.1',
    address: '69.171.230.8',
  },
  {
    who: "another crawler of Facebook's",
    rule: 'none',
    is: 'verified',
    agent: 'meta-externalagent/1.1',
    address: '69.171.230.8',
  },
  {
    who: 'Twitterbot',
    rule: 'twitterbot',
    is: 'verified',
    agent: 'Twitterbot/1.0',
    address: '199.16.157.2',
  },
  {
    who: 'Slack, which has no list',
    rule: 'none',
    is: 'unknown',
    agent: 'Slackbot-LinkExpanding 1.0',
  },
  { who: 'WhatsApp on a phone', rule: 'none', is: 'unknown', agent: 'WhatsApp/2.23' },
  {
    who: 'UptimeRobot of the fetched list',
    rule: 'uptimerobot',
    is: 'verified',
    agent: 'UptimeRobot/2.0',
    address: '192.0.2.130',
    method: 'HEAD',
  },
  { who: 'who lies to be UptimeRobot', rule: 'none', is: 'claimed', agent: 'UptimeRobot/2.0' },
  {
    who: 'archive.org',
    rule: 'internet-archive',
    is: 'verified',
    agent: 'archive.org_bot',
    address: '207.241.229.5',
  },
  {
    who: 'CCBot',
    rule: 'common-crawl',
    is: 'verified',
    agent: 'CCBot/2.0',
    address: '18.97.9.170',
  },
  { who: 'Miniflux', rule: 'feeds', is: 'unknown', agent: 'Miniflux/2.2', target: '/feed.xml' },
  {
    who: 'Miniflux at an article',
    rule: 'none',
    is: 'unknown',
    agent: 'Miniflux/2.2',
    target: '/a',
  },
  {
    who: 'a podcast client',
    rule: 'feeds',
    is: 'unknown',
    agent: 'AntennaPod/3.5',
    target: '/podcast.xml',
  },
  { who: 'a browser at a feed', rule: 'none', is: 'unknown', agent: BROWSER, target: '/feed.xml' },
  {
    who: 'a feed reader that names an article',
    rule: 'none',
    is: 'unknown',
    agent: 'x',
    target: '/feed?p=1',
  },
  {
    who: 'git',
    rule: 'git-refs',
    is: 'unknown',
    agent: 'git/2.43.0',
    target: '/team/x.git/info/refs?service=git-upload-pack',
  },
  {
    who: 'git that fetches',
    rule: 'git-upload-pack',
    is: 'unknown',
    agent: 'git/2.43.0',
    target: '/team/x.git/git-upload-pack',
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
  },
  {
    who: 'git that pushes',
    rule: 'none',
    is: 'unknown',
    agent: 'git/2.43.0',
    target: '/x.git/git-receive-pack',
    method: 'POST',
  },
  {
    who: 'apt',
    rule: 'apt',
    is: 'unknown',
    agent: 'Debian APT-HTTP/1.3',
    target: '/debian/dists/stable/InRelease',
  },
  { who: 'pip', rule: 'pip', is: 'unknown', agent: 'pip/24.0', target: '/simple/requests/' },
  { who: 'npm', rule: 'none', is: 'unknown', agent: 'npm/10.2', target: '/left-pad' },
  {
    who: "GitHub's hook",
    rule: 'hook',
    is: 'verified',
    agent: 'GitHub-Hookshot/1a2b',
    address: '140.82.115.3',
    method: 'POST',
    target: '/hooks/deploy',
  },
  {
    who: "GitHub's hook at another path",
    rule: 'none',
    is: 'verified',
    agent: 'GitHub-Hookshot/1a2b',
    address: '140.82.115.3',
    method: 'POST',
    target: '/login',
  },
  {
    who: "Stripe's hook",
    rule: 'hook',
    is: 'verified',
    agent: 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    address: '54.187.174.169',
    method: 'POST',
    target: '/hooks/paid',
  },
  {
    who: "who lies to be Stripe's hook",
    rule: 'none',
    is: 'claimed',
    agent: 'Stripe/1.0',
    method: 'POST',
    target: '/hooks/paid',
  },
  {
    who: 'ACME',
    rule: 'always-open',
    is: 'unknown',
    agent: 'Lets Encrypt validation server',
    target: '/.well-known/acme-challenge/x',
  },
  {
    who: 'a crawler at robots.txt',
    rule: 'always-open',
    is: 'unknown',
    agent: 'x',
    target: '/robots.txt',
  },
  {
    who: 'a crawler at the sitemap',
    rule: 'crawlers-files',
    is: 'unknown',
    agent: 'x',
    target: '/sitemap.xml',
  },
  { who: 'a browser', rule: 'none', is: 'unknown', agent: BROWSER },
]

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
