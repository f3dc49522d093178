/** Guests that are known by the names of their hosts, with a name server of the test's own. */
import { describe, expect, test } from '@jest/globals'
import { startDns, type Zone } from '../../../test/support/dns-server.ts'
import { ask, gateFiles, startGate } from '../../../test/support/gate.ts'
import { type Dns, dnsOf, HostNames } from '../src/host-names.ts'

const BING = '203.0.113.9'
const NAME = 'msnbot-203-0-113-9.search.msn.com'
const reverseOf = (address: string): string =>
  `PTR ${address.split('.').toReversed().join('.')}.in-addr.arpa`
const ZONE: Zone = {
  [reverseOf(BING)]: [NAME],
  [`A ${NAME}`]: ['203.0.113.8', BING],
  // Whoever has an address says how it is called, and nobody else confirms it.
  [reverseOf('198.51.100.7')]: [NAME],
  [reverseOf('198.51.100.8')]: ['search.msn.com.evil.test'],
  'A search.msn.com.evil.test': ['198.51.100.8'],
  [reverseOf('198.51.100.9')]: ['evilsearch.msn.com'],
  'A evilsearch.msn.com': ['198.51.100.9'],
  [reverseOf('198.51.100.10')]: Array.from({ length: 20 }, (_, i) => `a${i}.search.msn.com`),
  'A a19.search.msn.com': ['198.51.100.10'],
  [`PTR ${'9.0.0.0.'.padEnd(64, '0.').slice(0, 48)}8.b.d.0.1.0.0.2.ip6.arpa`]: [NAME],
  [`AAAA ${NAME}`]: ['2001:db8::9'],
}
const DOMAINS = ['search.msn.com']

describe('a host name', () => {
  test.each([
    { address: BING, is: true, why: 'both names agree' },
    { address: `::ffff:${BING}`, is: true, why: 'it is the same address' },
    { address: '2001:db8::9', is: true, why: 'IPv6 has both names too' },
    { address: '198.51.100.7', is: false, why: 'the name is of another address' },
    { address: '198.51.100.8', is: false, why: 'the name is of another domain' },
    { address: '198.51.100.9', is: false, why: 'the domain only ends so' },
    { address: '198.51.100.10', is: false, why: 'not all of twenty names are asked for' },
    { address: '198.51.100.11', is: false, why: 'it has no name' },
    { address: 'unknown', is: false, why: 'it is no address' },
    { address: 'fe80::1%eth0', is: false, why: 'it is of one network only' },
  ])('of $address confirms: $is, since $why', async ({ address, is }) => {
    const dns = await startDns(ZONE)
    expect(await new HostNames(dnsOf([dns.server])).confirms(address, DOMAINS)).toBe(is)
    expect(dns.asked.length).toBeLessThanOrEqual(4)
  })

  test('is asked for once, and again after its time', async () => {
    let now = 1000
    const dns = await startDns(ZONE)
    const names = new HostNames(dnsOf([dns.server]), () => now)
    const all = () =>
      Promise.all([BING, '198.51.100.11'].map((address) => names.confirms(address, DOMAINS)))
    for (const answers of [...(await Promise.all([all(), all()])), await all()])
      expect(answers).toEqual([true, false])
    expect(dns.asked.length).toBe(3)
    now += 601
    await all()
    expect(dns.asked.length).toBe(4)
    now += 3000
    await all()
    expect(dns.asked.length).toBe(7)
  })

  test('that no server tells in time only claims, and counts once it is known', async () => {
    const dns = await startDns(ZONE)
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const real = dnsOf([dns.server])
    const slow: Dns = {
      reverse: (address) => held.then(() => real.reverse(address)),
      resolve4: real.resolve4.bind(real) as Dns['resolve4'],
      resolve6: real.resolve6.bind(real) as Dns['resolve6'],
    }
    const names = new HostNames(slow)
    const asked = names.confirms(BING, DOMAINS)
    expect(await asked).toBe(false)
    release()
    while (!(await names.confirms(BING, DOMAINS)));
    expect(dns.asked.length).toBe(2)
  })

  test('is not asked for without bounds: four times for a network, a hundred times in all', async () => {
    const asked: string[] = []
    const never = (address: string) => {
      asked.push(address)
      return new Promise<never>(() => {})
    }
    const names = new HostNames({ reverse: never, resolve4: never, resolve6: never } as Dns)
    const network = Array.from({ length: 300 }, (_, i) => `2001:db8:1::${i.toString(16)}`)
    const others = Array.from({ length: 300 }, (_, i) => `10.${i >> 8}.${i & 255}.1`)
    const answers = await Promise.all(
      [...network, ...others].map((address) => names.confirms(address, DOMAINS)),
    )
    expect(answers.includes(true)).toBe(false)
    expect(asked.length).toBe(100)
    expect(asked.filter((address) => address.startsWith('2001:')).length).toBe(4)
  })
})

describe('a gate', () => {
  const BINGBOT = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'
  const check = async (url: string, address: string, agent: string) => {
    const { status, headers } = await ask(url, '/check/forward', {
      'x-forwarded-method': 'GET',
      'x-forwarded-uri': '/list?page=2',
      'x-forwarded-host': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': address,
      'user-agent': agent,
    })
    return [status, headers['x-hv-guest']]
  }
  const start = (guests: readonly string[], server: string) =>
    startGate(gateFiles('https://verify.example.com', { guests }, { name_servers: [server] }))

  test('lets Bing in by its host name, and asks about nobody who does not claim to be it', async () => {
    const dns = await startDns(ZONE)
    const gate = await start(['search-engines'], dns.server)
    expect(await check(gate.url, BING, 'curl/8')).toEqual([401, undefined])
    expect(dns.asked).toEqual([])
    expect(await check(gate.url, BING, BINGBOT)).toEqual([204, 'verified bingbot'])
    expect(await check(gate.url, '198.51.100.7', BINGBOT)).toEqual([401, undefined])
    // Its published range needs no name.
    const before = dns.asked.length
    expect(await check(gate.url, '157.55.39.4', BINGBOT)).toEqual([204, 'verified bingbot'])
    expect(dns.asked.length).toBe(before)
  })

  test('asks nothing for guests that it does not name, and lets nobody in without DNS', async () => {
    const dns = await startDns(ZONE)
    const without = await start(['archives'], dns.server)
    expect(await check(without.url, BING, BINGBOT)).toEqual([401, undefined])
    expect(dns.asked).toEqual([])
    dns.silence()
    const away = await start(['search-engines'], dns.server)
    expect(await check(away.url, BING, BINGBOT)).toEqual([401, undefined])
    expect(dns.asked).toEqual([reverseOf(BING)])
  })
})
