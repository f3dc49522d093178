import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { everyOrder, MOST_READINGS, readingsOf } from '../src/readings.ts'
import { ruleOf } from '../src/rules.ts'
import { networkOf, type Visit } from '../src/visit.ts'
import type { RuleSettings } from '../src/settings.ts'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { parse } from 'yaml'

const visitor = { address: '192.0.2.7', headers: { 'user-agent': 'Mozilla/5.0' } }
const genuine: Visit = {
  method: 'GET',
  target: '/page',
  host: 'www.example.com',
  origin: 'https://www.example.com',
  isSecure: true,
  ...visitor,
}
const RULES: readonly RuleSettings[] = [
  {
    name: 'feeds',
    when: { path: ['/feed', '/feed/*'], header: { 'user-agent': '!Mozilla/*' } },
    effect: 'allow',
  },
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
  {
    then: 'allow',
    when: 'a feed reader asks for a feed',
    change: { target: '/feed/a.xml', ...reader },
  },
  { then: 'level 1', when: 'a browser asks for a feed', change: { target: '/feed/a.xml' } },
  {
    then: 'level 1',
    when: 'the letters are of another case',
    change: { target: '/Feed', ...reader },
  },
  {
    then: 'level 1',
    when: 'a pattern matches only the end',
    change: { target: '/x/feed', ...reader },
  },
  {
    then: 'level 1',
    when: 'a pattern matches only the beginning',
    change: { target: '/feeds', ...reader },
  },
  {
    then: 'level 1',
    when: 'the pattern is in the query',
    change: { target: '/x?/feed/', ...reader },
  },
  { then: 'allow', when: 'the network is listed', change: { address: '198.51.100.9' } },
  {
    then: 'allow',
    when: 'it is listed, and written as IPv6',
    change: { address: '::ffff:198.51.100.9' },
  },
  { then: 'level 1', when: 'the address is not known', change: { address: undefined } },
  { then: 'allow', when: 'the method is listed', change: { method: 'POST', target: '/hook/7/in' } },
  { then: 'level 1', when: 'the method is another', change: { target: '/hook/7/in' } },
  {
    then: 'level 1',
    when: 'the star would have to overlap',
    change: { method: 'POST', target: '/hook/in' },
  },
  { then: 'deny', when: 'a path is denied', change: { target: '/admin/x' } },
  {
    then: 'level 2',
    when: 'a costly path is spelled with escapes',
    change: { target: '/%73earch?q' },
  },
  { then: 'level 1', when: 'it is a preflight', change: preflight({}) },
  {
    then: 'level 1',
    when: 'it is OPTIONS without an origin',
    change: preflight({ origin: undefined }),
  },
  {
    then: 'deny',
    when: 'it is a preflight of a denied path',
    change: { ...preflight({}), target: '/admin' },
  },
])('$then when $when', ({ then, change }) => {
  expect(ruleOf({ ...genuine, ...change }, RULES).effect).toBe(then)
})

function preflight(change: object): Partial<Visit> {
  const headers = {
    origin: 'https://app.example.com',
    'access-control-request-method': 'PUT',
    ...change,
  }
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
  { target: '/open/x', method: 'CONNECT' },
  preflight({ upgrade: 'h2c' }),
])('%j is not open', (change) => {
  expect(ruleOf({ ...genuine, ...change }, RULES).effect).toBe('level 1')
})

// Envoy CVE-2021-29492 and CVE-2021-32779, Caddy CVE-2026-27587: what one server opens, another reads as a path that is shut.
const UNPLAIN = String.raw`/open/%2fadmin /open/..%2fadmin /open/%5cadmin /open/%2e%2e/admin /open//admin //open/x /open/./x
/open/../admin /open/.. /open/;/../admin /open/\admin /open/%00 /open/%0aadmin /open/é /open/#/../../admin /robots.txt#x
/%6fpen/x http://www.example.com/open/x /.well-known/../admin /robots.txt/..%2fadmin /.hv/../admin`
test.each([...UNPLAIN.split(/\s/), '/open/\u0001'])(
  '%s is not let in by a rule that allows',
  (target) => {
    expect(ruleOf({ ...genuine, target }, RULES).effect).not.toBe('allow')
  },
)

const [PATHS, HOOK] = [['/open/*'], { path: ['/hook'], method: ['POST'] }]
const HTML_FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const ASKS_GET = { 'x-http-method-override': 'GET' }

// What many programs read beside the path: WordPress shows an article at /feed?p=1, and to a form with p=1.
test.each<{ then: string; rule: RuleSettings['when']; change: Partial<Visit> }>([
  { then: 'level 1', rule: { path: PATHS }, change: { target: '/open/x?p=1' } },
  { then: 'level 1', rule: { path: PATHS }, change: { target: '/open/x?' } },
  { then: 'level 1', rule: { method: ['GET'] }, change: { target: '/x?p=1' } },
  { then: 'allow', rule: { path: PATHS, query: ['p'] }, change: { target: '/open/x?p=1&p=2' } },
  { then: 'level 1', rule: { path: PATHS, query: ['p'] }, change: { target: '/open/x?p=1&s=2' } },
  { then: 'level 1', rule: { path: PATHS, query: ['p'] }, change: { target: '/open/x?p=1;s=2' } },
  { then: 'level 1', rule: { path: PATHS, query: ['p*'] }, change: { target: '/open/x?p%26s=2' } },
  { then: 'allow', rule: { path: PATHS, query: ['*'] }, change: { target: '/open/x?a[]=1&b' } },
  {
    then: 'level 1',
    rule: { path: PATHS, query: ['*'] },
    change: { target: '/open/x?_method=PUT' },
  },
  {
    then: 'level 1',
    rule: { path: PATHS, query: ['*'] },
    change: { target: '/open/x?a&%5Fmethod=PUT' },
  },
  {
    then: 'level 1',
    rule: { path: PATHS, query: ['*'] },
    change: { target: '/open/x?+.METHOD[x]=PUT' },
  },
  {
    then: 'allow',
    rule: { path: PATHS, query: ['_method'] },
    change: { target: '/open/x?_method=PUT' },
  },
  { then: 'level 1', rule: HOOK, change: { target: '/hook', method: 'POST', headers: ASKS_GET } },
  {
    then: 'level 1',
    rule: HOOK,
    change: { target: '/hook', method: 'POST', headers: { x_http_method_override: 'GET' } },
  },
  {
    then: 'allow',
    rule: { ...HOOK, header: { 'x-http-method-override': '*' } },
    change: { target: '/hook', method: 'POST', headers: ASKS_GET },
  },
  { then: 'level 1', rule: HOOK, change: { target: '/hook', method: 'POST', headers: HTML_FORM } },
  {
    then: 'allow',
    rule: { ...HOOK, header: { 'content-type': '*form-urlencoded*' } },
    change: { target: '/hook', method: 'POST', headers: HTML_FORM },
  },
  { then: 'level 1', rule: { path: PATHS }, change: { target: '/open/a.php/b' } },
  { then: 'allow', rule: { path: ['/open/a.php/*'] }, change: { target: '/open/a.php/b' } },
  {
    then: 'level 1',
    rule: { path: PATHS },
    change: { target: '/open/x', headers: { 'x-original-url': '/shut' } },
  },
  {
    then: 'allow',
    rule: { cidr: [ipaddr.parseCIDR('192.0.2.0/24')] },
    change: { target: '//x?_method=PUT' },
  },
])('$then by a rule that allows $rule, for $change', ({ then, rule, change }) => {
  expect(
    ruleOf({ ...genuine, ...change }, [{ name: 'it', when: rule, effect: 'allow' }]).effect,
  ).toBe(then)
})

const guide = readFileSync(new URL('../../../docs/start/gate.md', import.meta.url), 'utf8')
const [, written = ''] = /^```yaml\n(rules:\n.*?)^```$/ms.exec(guide) ?? []
test.each<[string, Partial<Visit>]>([
  ['feeds', { target: '/feed', ...reader }],
  ['hooks', { target: '/hooks/x', method: 'POST' }],
])(
  'the rule %s of the guide opens what it names and no page by its query, or by a form',
  (name, change) => {
    const { rules } = parse(written) as { rules: RuleSettings[] }
    const own = rules.filter((rule) => rule.name === name)
    const visit = { ...genuine, ...change }
    const target = `${visit.target}?p=1`
    const headers = { ...visit.headers, ...HTML_FORM }
    const each = [
      visit,
      { ...visit, target },
      { ...visit, headers },
      { ...visit, headers: { ...headers, ...ASKS_GET } },
    ]
    const levels = ['allow', 'level 1', 'level 1', 'level 1']
    expect(each.map((one) => ruleOf(one, own).effect)).toEqual(levels)
  },
)

// What was read at /secret/x by nginx (files), Apache, Tomcat, IIS, Express, PHP or WordPress.
const SECRET = String.raw`/%73ecret/..;/../x /secret%2f..;/../x /%73ecret/..%5c/../x /secret%5cx /secret\x /Secret/x /SECRET/X
/index.php/secret/x /a/index.php/../../secret/x /x/..;/secret/x /x;/../secret/x /secret;a=1/x /%2573ecret/x /%252573ecret/x
/%u0073ecret/x /secret/./x /x/%2e%2e/secret/x /x/%252e%252e/secret/x /./secret//x /secret/x/ /secret/x. /secret/x%20 /secret/x/index.html
//host/secret/x //secret/x http://www.example.com/secret/x http:///secret/x /secret/x?a /secret/x%3fa /secret/x%23a /secret/x%00.png
/%ef%bd%93ecret/x /%c5%bfecret/x /sec%0aret/x /x/%2e%2e%2fsecret/x /x/..%5csecret/x /secret%252fx /secret::$DATA/x`
test.each(SECRET.split(/\s/))('%s is denied and made dear, as /secret/x is', (target) => {
  const when = { path: ['/secret/x'] }
  for (const effect of ['deny', 'level 2'] as const)
    expect(ruleOf({ ...genuine, target }, [{ name: 'it', when, effect }]).effect).toBe(effect)
})

test.each<{
  then: string
  rules: [RuleSettings['effect'], RuleSettings['when']][]
  change: Partial<Visit>
}>([
  {
    then: 'deny',
    rules: [
      ['level 1', { path: ['/shut/a'] }],
      ['deny', { path: ['/shut/*'] }],
    ],
    change: { target: '/shut/A' },
  },
  {
    then: 'level 1',
    rules: [
      ['level 1', { path: ['/shut/a'] }],
      ['deny', { path: ['/shut/*'] }],
    ],
    change: { target: '/shut/a' },
  },
  { then: 'deny', rules: [['deny', { path: ['/a%2fb'] }]], change: { target: '/a/b' } },
  { then: 'level 2', rules: [['level 2', { query: ['s'] }]], change: { target: '/?s=hello' } },
  {
    then: 'level 2',
    rules: [['level 2', { query: ['s'] }]],
    change: { target: '/?a=1&%53=hello' },
  },
  { then: 'level 1', rules: [['level 2', { query: ['s'] }]], change: { target: '/s?a=s' } },
  {
    then: 'deny',
    rules: [['deny', { method: ['PUT'] }]],
    change: { headers: { 'x-method-override': 'put' } },
  },
  { then: 'deny', rules: [['deny', { method: ['PUT'] }]], change: { target: '/?_method=put' } },
  { then: 'deny', rules: [['deny', { method: ['PUT'] }]], change: { method: 'put' } },
  { then: 'level 1', rules: [['deny', { method: ['PUT'] }]], change: { method: 'POST' } },
  {
    then: 'deny',
    rules: [['deny', { path: ['/shut'] }]],
    change: { headers: { 'x-rewrite-url': '/shut?a' } },
  },
])('$then by $rules for $change', ({ then, rules, change }) => {
  const list = rules.map(([effect, when]) => ({ name: 'it', when, effect }))
  expect(ruleOf({ ...genuine, ...change }, list).effect).toBe(then)
})

test.each<{ then: string; rule: RuleSettings; target: string }>([
  {
    then: 'deny',
    rule: { name: 'it', when: { path: ['/robots.txt'] }, effect: 'deny' },
    target: '/robots.txt',
  },
  {
    then: 'level 2',
    rule: { name: 'it', when: { path: ['/.well-known/*'] }, effect: 'level 2' },
    target: OPEN[3]!,
  },
  {
    then: 'allow',
    rule: { name: 'it', when: { path: ['/.well-known/*'] }, effect: 'deny' },
    target: '/robots.txt',
  },
  { then: 'allow', rule: { name: 'it', when: { path: ['/*'] }, effect: 'deny' }, target: OPEN[3]! },
  {
    then: 'allow',
    rule: { name: 'it', when: { path: ['/*'] }, effect: 'deny' },
    target: '/.hv/gate.js',
  },
  {
    then: 'allow',
    rule: { name: 'it', when: { path: ['/.hv/*'] }, effect: 'deny' },
    target: '/.hv/gate.js',
  },
  {
    then: 'allow',
    rule: { name: 'it', when: { method: ['GET'] }, effect: 'deny' },
    target: '/robots.txt',
  },
])('$then at $target with the rule $rule', ({ then, rule, target }) => {
  expect(ruleOf({ ...genuine, target }, [rule]).effect).toBe(then)
})

// Each has more readings than are looked at: it may be any path, or have any parameter.
const UNREADABLE_PATHS = [
  String.raw`/%2f%5c%5ch\\%0a:\t//%22%3b.\t%5c%00h//x://index.x`,
  String.raw`/open/;%%2fht\\+e// :%00\\f//;//3%2f:\\%\\`,
  `/open/${'%25;/..//'.repeat(4000)}`,
]
const UNREADABLE_QUERY = `/open/x?${'%2525'.repeat(9000)}`
const OWN_NETWORK = { cidr: [ipaddr.parseCIDR('192.0.2.0/24')] }
test.each<{
  then: string
  targets: string[]
  rules: [RuleSettings['effect'], RuleSettings['when']][]
}>([
  { then: 'level 1', targets: UNREADABLE_PATHS, rules: [] },
  { then: 'level 1', targets: UNREADABLE_PATHS, rules: [['allow', { path: ['/*'] }]] },
  { then: 'allow', targets: UNREADABLE_PATHS, rules: [['allow', OWN_NETWORK]] },
  {
    then: 'deny',
    targets: UNREADABLE_PATHS,
    rules: [
      ['level 2', { path: ['/a'] }],
      ['deny', { path: ['/b'], method: ['GET'] }],
    ],
  },
  {
    then: 'level 2',
    targets: UNREADABLE_PATHS,
    rules: [
      ['level 2', { path: ['/a'] }],
      ['deny', { path: ['/b'], header: { referer: 'x' } }],
    ],
  },
  { then: 'level 2', targets: [UNREADABLE_QUERY], rules: [['level 2', { query: ['s'] }]] },
  { then: 'deny', targets: [UNREADABLE_QUERY], rules: [['deny', { method: ['PUT'] }]] },
  {
    then: 'level 1',
    targets: [UNREADABLE_QUERY],
    rules: [['allow', { path: ['/open/*'], query: ['*'] }]],
  },
])('$then by $rules where there are too many readings', ({ then, targets, rules }) => {
  const list = rules.map(([effect, when]) => ({ name: 'it', when, effect }))
  for (const target of targets) expect(ruleOf({ ...genuine, target }, list).effect).toBe(then)
})

test('no path costs more than a bounded number of steps', () => {
  let steps = 0
  const growing = ['a', 'b', 'c'].map((letter) => (text: string) => {
    steps += 1
    return letter + text
  })
  expect(everyOrder(['/'], growing, MOST_READINGS)).toBeUndefined()
  expect(steps).toBeLessThanOrEqual(growing.length * MOST_READINGS)
})

test('readings of odd paths are few, or they are not looked at', () => {
  const parts = ['%25', '%2e', '%2f', '%5c', ';', '.', '/', '\\', ':', ' ', '%u002f', '.php', 'x']
  const path = fc.array(fc.constantFrom(...parts), { maxLength: 40 })
  fc.assert(
    fc.property(path, (odd) => {
      const readings = readingsOf([`/${odd.join('')}`])
      expect(readings?.names.length ?? 0).toBeLessThanOrEqual(MOST_READINGS)
    }),
  )
})

// Paths of sites in the field, whose visitors must not meet the strictest rule.
const LINKED = (
  '/proxy/http%3A%2F%2Fexample.com%2Fa%2Fb%3Fc%3Dd /web/2020/http://www.example.com/index.html ' +
  '/wiki/%E4%BD%A0%E5%A5%BD_(x) /blog/what%27s-new%3F/ /repo/-/blob/main/%5B...slug%5D.tsx ' +
  '/matrix/client/v3/rooms/%21abc%3Aexample.org/send /index.php/a/b/ /50%25-off /a;jsessionid=A/b'
).split(' ')
test.each(LINKED)('%s has few readings', (path) => {
  expect(readingsOf([path])!.names.length).toBeLessThanOrEqual(MOST_READINGS / 2)
})

test.each([
  'x_hv_clearance',
  'x-hv_clearance',
  'x.hv.clearance',
  'x_hv_guest',
  'x-hv_guest',
  'x_forwarded_for',
  'x-forwarded_proto',
  'x_real_ip',
])('a visitor who sends %s, which PHP reads as a header of ours, is refused', (name) => {
  expect(
    ruleOf({ ...genuine, target: '/robots.txt', headers: { [name]: 'x' } }, RULES).effect,
  ).toBe('deny')
})

test('a pattern with many stars and a long path take no time', () => {
  const rules = [
    { name: 'many', when: { path: [`/${'*a'.repeat(50)}b`] }, effect: 'deny' as const },
  ]
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
