import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { newFolder } from '../../../test/support/close-later.ts'
import { run } from '../src/cli.ts'
import { withNewKey } from '../src/keys.ts'
import { requestOf } from '../src/replay.ts'

const SAMPLE = readFileSync(new URL('../../../deploy/gate/hv-gate.yaml', import.meta.url), 'utf8')
const RULES = '      - {name: closed, when: {path: ["/closed/*"]}, effect: deny}\n'
const folder = newFolder()
const config = join(folder, 'hv-gate.yaml')
writeFileSync(
  config,
  SAMPLE.replace(
    '    rules:\n',
    `    guests: [search-engines, crawlers-files]\n    rules:\n${RULES}`,
  ),
)
writeFileSync(join(folder, 'gate-secret'), 'hv_secret_x\n', { mode: 0o600 })
writeFileSync(join(folder, 'gate-key.json'), withNewKey(), { mode: 0o600 })

async function hvGate(...args: string[]) {
  const lines: string[] = []
  const out = (line: string): void => void lines.push(line)
  return { code: await run([...args, '--config', config], out, out), lines }
}

const GOOGLEBOT = 'user-agent: Mozilla/5.0 (compatible; Googlebot/2.1)'
test.each([
  { asked: ['/page'], is: 'unknown', rule: 'none: asked for a silent visit' },
  { asked: ['/page', '--as', 'googlebot'], is: 'verified googlebot', rule: 'googlebot: let in' },
  { asked: ['/page', '--header', GOOGLEBOT], is: 'claimed googlebot', rule: 'none: asked' },
  { asked: ['/closed/x', '--as', 'googlebot'], is: 'verified googlebot', rule: 'closed: refused' },
  { asked: ['/x/..%2fclosed/x'], is: 'unknown', rule: 'closed: refused' },
  { asked: ['/search?q=1'], is: 'unknown', rule: 'costly: asked for a press' },
  { asked: ['/feed', '--header', 'User-Agent: Miniflux/2'], is: 'unknown', rule: 'feeds: let in' },
  { asked: ['/feed', '--method', 'POST'], is: 'unknown', rule: 'none: asked' },
  { asked: ['/x', '--from', '192.0.2.9'], is: 'unknown', rule: 'own-servers: let in' },
  { asked: ['/robots.txt'], is: 'unknown', rule: 'always-open: let in' },
])('try $asked: $is, and the rule $rule', async ({ asked: [path, ...options], is, rule }) => {
  const { code, lines } = await hvGate('try', `https://www.example.com${path}`, ...options)
  expect(code).toBe(0)
  expect(lines[0]).toMatch(new RegExp(`^visitor   [0-9a-f.:]+, ${is}$`))
  expect(lines[1]).toBe('gate      www.example.com')
  expect(lines.at(-1)).toContain(`decides   ${rule}`)
})

test('try says what matches only for some way to read the request', async () => {
  const { lines } = await hvGate('try', 'https://www.example.com/x/..%2fclosed/x')
  expect(lines.slice(2, 4)).toEqual([
    'matches   closed: deny, for some way to read the request',
    'matches   none: level 1',
  ])
})

test.each([
  [['try', 'www.example.com'], 'expected an address such as'],
  [['try', 'https://other.example/'], 'no gate has this host'],
  [['try', 'https://www.example.com/', '--as', 'feeds'], 'no guest with addresses'],
  [['try', 'https://www.example.com/', '--as', 'pingdom'], 'run: hv-gate lists fetch'],
  [['try', 'https://www.example.com/', '--header', 'x'], 'expected a header'],
  [['replay', join(folder, 'missing.log')], 'ENOENT'],
  [['replay', config, '--host', 'other.example'], 'no gate has this host'],
])('%j is an error that says why', async (args, says) => {
  const { code, lines } = await hvGate(...args)
  expect(code).toBe(1)
  expect(lines.at(-1)).toContain(says)
})

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const combined = (address: string, request: string, agent: string): string =>
  `${address} - - [28/Nov/2026:06:25:01 +0000] "${request}" 200 512 "-" "${agent}"`

test.each([
  [
    combined('192.0.2.7', 'GET /a?b=1 HTTP/1.1', FIREFOX),
    { address: '192.0.2.7', method: 'GET', target: '/a?b=1' },
  ],
  [
    combined('2001:db8::7', 'HEAD / HTTP/2.0', String.raw`a \"quoted\" one`),
    { address: '2001:db8::7', method: 'HEAD', target: '/' },
  ],
  ['192.0.2.7 - ann o [28/Nov/2026:06:25:01 +0000] "POST /x HTTP/1.1" 204 -', { target: '/x' }],
  [
    '{"level":"info","request":{"client_ip":"192.0.2.7","method":"GET","host":"a.example:8443","uri":"/x?y","headers":{"User-Agent":["git/2"]}}}',
    { address: '192.0.2.7', target: '/x?y', host: 'a.example', headers: { 'user-agent': 'git/2' } },
  ],
])('%s is read', (line, request) => {
  expect(requestOf(line)).toMatchObject(request)
})

test.each(['', 'x', '{', '{"request":{}}', '192.0.2.7 - - [x] "-" 400 0 "-" "-"'])(
  '%j is no request',
  (line) => {
    expect(requestOf(line)).toBeUndefined()
  },
)

test('replay counts who is let in, asked and refused, those first whom a gate shuts out', async () => {
  const log = join(folder, 'access.log')
  const kinds = [
    combined('203.0.113.7', 'GET /page HTTP/1.1', FIREFOX),
    combined('203.0.113.8', 'GET /closed/x HTTP/1.1', FIREFOX),
    combined('66.249.66.1', 'GET /page HTTP/1.1', 'Mozilla/5.0 (compatible; Googlebot/2.1)'),
    combined('203.0.113.9', 'GET /page HTTP/1.1', 'Mozilla/5.0 (compatible; Googlebot/2.1)'),
    combined('203.0.113.9', 'GET /sitemap.xml HTTP/1.1', 'SiteBot/1'),
    combined('203.0.113.9', 'GET /news HTTP/1.1', 'curl/8.5.0'),
    combined('203.0.113.9', 'GET /news HTTP/1.1', 'curl/8.5.0'),
    combined(
      '203.0.113.9',
      'GET /news HTTP/1.1',
      'Mozilla/5.0 (compatible; SomeBot/1.0; +http://x)',
    ),
    'no line of a log',
  ]
  writeFileSync(log, `${kinds.join('\n')}\n`)
  const { code, lines } = await hvGate('replay', log)
  expect(code).toBe(0)
  expect(lines[0]).toBe('9 lines, 1 in no known format, 0 for hosts of no gate')
  const rows = lines.slice(2, -1).map((line) => line.trim().split(/ {2,}/).join(' '))
  expect(rows[0]).toBe('0 2 0 curl /news')
  expect(rows.toSorted()).toEqual(
    [
      '0 2 0 curl /news',
      '0 1 1 browsers /page',
      '0 1 0 claimed googlebot /page',
      '0 1 0 SomeBot /news',
      '1 0 0 verified googlebot',
      '1 0 0 SiteBot',
    ].toSorted(),
  )
})

test('replay reads a long log whole, with as many kinds of visitors as it likes', async () => {
  const log = join(folder, 'long.log')
  const line = (i: number): string =>
    combined(`203.0.113.${i % 256}`, `GET /p/${i}?q=${i} HTTP/1.1`, `Agent-${i} \u001b[31m/1`)
  writeFileSync(log, Array.from({ length: 10_000 }, (_, i) => line(i)).join('\n'))
  const { lines } = await hvGate('replay', log)
  expect(lines[0]).toBe('10000 lines, 0 in no known format, 0 for hosts of no gate')
  expect(lines.join('')).not.toContain('\u001b')
  expect(lines.length).toBeLessThan(50)
})
