import { expect, test } from '@jest/globals'
import { ruleOf } from '../src/rules.ts'
import { networkOf, type Visit } from '../src/visit.ts'
import type { RuleSettings } from '../src/settings.ts'
import ipaddr from 'ipaddr.js'

const visitor = { address: '192.0.2.7', headers: { 'user-agent': 'Mozilla/5.0' } }
const genuine: Visit = { method: 'GET', target: '/page', host: 'www.example.com', isSecure: true, ...visitor }
const RULES: readonly RuleSettings[] = [
  { name: 'feeds', when: { path: ['/feed', '/feed/*'], header: { 'user-agent': '!Mozilla/*' } }, effect: 'allow' },
  { name: 'own', when: { cidr: [ipaddr.parseCIDR('198.51.100.0/24')] }, effect: 'allow' },
  { name: 'hooks', when: { path: ['/hook/*/in'], method: ['POST'] }, effect: 'allow' },
  { name: 'shut', when: { path: ['/admin*'] }, effect: 'deny' },
  { name: 'costly', when: { path: ['/search*'] }, effect: 'level 2' },
  { name: 'open', when: { path: ['/open/*'] }, effect: 'allow' },
  { name: 'umlaut', when: { path: ['/übung/*'] }, effect: 'deny' },
]
const reader = { headers: { 'user-agent': 'Miniflux/2' } }

test.each<{ then: string; when: string; change: Partial<Visit> }>([
  { then: 'level 1', when: 'no rule matches', change: {} },
  { then: 'allow', when: 'a feed reader asks for a feed', change: { target: '/feed/a.xml?x=1', ...reader } },
  { then: 'level 1', when: 'a browser asks for a feed', change: { target: '/feed/a.xml' } },
  { then: 'level 1', when: 'the letters are of another case', change: { target: '/Feed', ...reader } },
  { then: 'level 1', when: 'a pattern matches only the end', change: { target: '/x/feed', ...reader } },
  { then: 'level 1', when: 'a pattern matches only the beginning', change: { target: '/feeds', ...reader } },
  { then: 'level 1', when: 'the pattern is in the query', change: { target: '/x?/feed/', ...reader } },
  { then: 'allow', when: 'the network is listed', change: { address: '198.51.100.9' } },
  { then: 'allow', when: 'it is listed, and written as IPv6', change: { address: '::ffff:198.51.100.9' } },
  { then: 'level 1', when: 'the address is not known', change: { address: undefined } },
  { then: 'allow', when: 'the method is listed', change: { method: 'POST', target: '/hook/7/in' } },
  { then: 'level 1', when: 'the method is another', change: { target: '/hook/7/in' } },
  { then: 'level 1', when: 'the star would have to overlap', change: { method: 'POST', target: '/hook/in' } },
  { then: 'deny', when: 'a path is denied', change: { target: '/admin/x' } },
  { then: 'level 2', when: 'a costly path is spelled with escapes', change: { target: '/%73earch?q' } },
  { then: 'allow', when: 'it is a preflight', change: preflight({}) },
  { then: 'level 1', when: 'it is OPTIONS without an origin', change: preflight({ origin: undefined }) },
  { then: 'deny', when: 'it is a preflight of a denied path', change: { ...preflight({}), target: '/admin' } },
])('$then when $when', ({ then, change }) => {
  expect(ruleOf({ ...genuine, ...change }, RULES).effect).toBe(then)
})

function preflight(change: object): Partial<Visit> {
  const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'PUT', ...change }
  return { method: 'OPTIONS', headers }
}

const DENIED = `/%61dmin/x //admin/x /a/../admin /a;x/../admin http://www.example.com/admin /x#/../admin /%c3%bcbung/1 /\u00c3\u00bcbung/1`
test.each(DENIED.split(' '))('%s is denied, as its plain spelling is', (target) => {
  expect(ruleOf({ ...genuine, target }, RULES).effect).toBe('deny')
})

const OPEN = [
  '/robots.txt',
  '/favicon.ico',
  '/.well-known/security.txt',
  '/.well-known/acme-challenge/x',
  '/.hv/gate.js',
]
test.each(OPEN)('%s is open', (target) => {
  expect(ruleOf({ ...genuine, target }, RULES).effect).toBe('allow')
})

// Programs that choose the page by the query serve any of it there (WordPress: /robots.txt?p=1).
test.each<Partial<Visit>>([
  { target: '/robots.txt?p=1' },
  { target: '/robots.txt?' },
  { target: '/favicon.ico?rest_route=/wp/v2/posts' },
  { target: '/.well-known/acme-challenge/x?p=1' },
  { target: '/.well-known/anything' },
  { target: '/.well-known/' },
  { target: '/robots.txt', method: 'POST' },
  { target: '/robots.txt', headers: { upgrade: 'h2c' } },
  { target: '/open/x', headers: { upgrade: 'h2c' } },
  preflight({ upgrade: 'h2c' }),
])('%j is not open', (change) => {
  expect(ruleOf({ ...genuine, ...change }, RULES).effect).toBe('level 1')
})

// Envoy CVE-2021-29492 and CVE-2021-32779, Caddy CVE-2026-27587: what one server opens, another reads as a path that is shut.
const UNPLAIN = String.raw`/open/%2fadmin /open/..%2fadmin /open/%5cadmin /open/%2e%2e/admin /open//admin //open/x /open/./x
/open/../admin /open/.. /open/;/../admin /open/\admin /open/%00 /open/%0aadmin /open/é /open/#/../../admin /robots.txt#x
/%6fpen/x http://www.example.com/open/x /.well-known/../admin /robots.txt/..%2fadmin /.hv/../admin`
test.each([...UNPLAIN.split(/\s/), '/open/\u0001'])('%s is not let in by a rule that allows', (target) => {
  expect(ruleOf({ ...genuine, target }, RULES).effect).not.toBe('allow')
})

test('a pattern with many stars and a long path take no time', () => {
  const rules = [{ name: 'many', when: { path: [`/${'*a'.repeat(50)}b`] }, effect: 'deny' as const }]
  const begun = performance.now()
  ruleOf({ ...genuine, target: `/${'a'.repeat(16_000)}` }, rules)
  expect(performance.now() - begun).toBeLessThan(50)
})

test.each([
  ['192.0.2.7', '192.0.2.0/24'],
  ['::ffff:192.0.2.7', '192.0.2.0/24'],
  ['2001:db8:1:2::3', '2001:db8:1::/48'],
  [undefined, 'unknown'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
