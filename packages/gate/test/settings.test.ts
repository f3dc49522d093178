import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { newFolder } from '../../../test/support/close-later.ts'
import { run } from '../src/cli.ts'
import { withNewKey } from '../src/keys.ts'

const SAMPLE = readFileSync(new URL('../../../deploy/gate/hv-gate.yaml', import.meta.url), 'utf8')

/** Checks a configuration beside its files. @returns the exit code, and each line that was printed. */
async function check(
  text: string,
  { secret = 'hv_secret_x\n', key = withNewKey(), secretMode = 0o600, keyMode = 0o600 } = {},
) {
  const folder = newFolder()
  writeFileSync(join(folder, 'hv-gate.yaml'), text)
  writeFileSync(join(folder, 'gate-secret'), secret, { mode: secretMode })
  writeFileSync(join(folder, 'gate-key.json'), key, { mode: keyMode })
  const lines: string[] = []
  const print = (line: string): void =>
    void lines.push(...line.replaceAll(`${folder}/`, '').split('\n'))
  return {
    code: await run(['check', '--config', join(folder, 'hv-gate.yaml')], print, print),
    lines,
  }
}

const guide = readFileSync(new URL('../../../docs/start/gate.md', import.meta.url), 'utf8')
const [, rules = ''] = /^```yaml\nrules:\n(.*?)^```$/ms.exec(guide) ?? []
const [preflight] = /\{name: preflight.*?allow\}/.exec(guide) ?? []

test('the sample has no errors, also with the rules of the guide', async () => {
  const own = `${rules}  - ${preflight}\n`.replaceAll(/^/gm, '    ')
  for (const text of [SAMPLE, SAMPLE.replace('rules:\n', `rules:\n${own}`)])
    expect(await check(text)).toEqual({ code: 0, lines: ['hv-gate.yaml: no errors, 1 gate'] })
})

const SITEKEY = 'sitekey  expected a sitekey such as hv_site_AbCdEfGh'
const LEVEL = 'log_level  expected one of error, warn, info, got 7'
const PROXY =
  'trusted_proxies[0]  expected an address or a range such as "192.0.2.0/24", not every address, got "0.0.0.0/0"'
const EFFECT =
  'effect  expected one of allow, deny, level 1, level 2, got "alow" (did you mean allow?)'
const HOST =
  'hosts[0]  expected a lower-case hostname such as www.example.com, got "WWW.example.com"'
const SERVICE =
  'service  expected an address such as https://verify.example.com, got "verify.example.com"'
const LISTEN = 'listen  expected host:port or unix:/path, got'
const TWICE = 'ops_listen  expected another address than listen'
test.each([
  ['a name with a slip', 'contact:', 'contct:', 'contct  is unknown (did you mean contact?)'],
  ['a part of a name', 'secret_file:', 'secret:', 'secret  is unknown (did you mean secret_file?)'],
  [
    'a missing name',
    'sitekey: hv_site_AbCdEfGh',
    '',
    SITEKEY.replace('expected', 'is missing: expected'),
  ],
  ['an address without https', 'https://verify.example.com', 'verify.example.com', SERVICE],
  ['a host in capitals', '[www.example.com]', '[WWW.example.com]', HOST],
  ['half a path', 'version: 1', 'version: 1\nlisten: unix:hv.sock', LISTEN],
  ['a listener at no address', 'version: 1', 'version: 1\nlisten: 300.1.1.1:80', LISTEN],
  ['a listener at no IPv6', 'version: 1', 'version: 1\nlisten: "[::1::]:80"', LISTEN],
  ['one address twice', 'version: 1', 'version: 1\nlisten: "127.0.0.1:9465"', TWICE],
  [
    'one port at every address',
    'version: 1',
    'version: 1\nlisten: "[::]:90"\nops_listen: "127.0.0.1:90"',
    TWICE,
  ],
  [
    'one socket twice',
    'version: 1',
    'version: 1\nlisten: unix:/run/a\nops_listen: unix:/run/a',
    TWICE,
  ],
  [
    'a rate of a month',
    'sitekey:',
    'rate: 600 per 30d\n    sitekey:',
    'rate  expected a rate such as "600 per 1m", of at most a day, got "600 per 30d"',
  ],
  ['everybody as a proxy', '[127.0.0.1, "::1"]', '[0.0.0.0/0]', PROXY],
  ['an effect with a slip', 'effect: allow', 'effect: alow', EFFECT],
  [
    'a path without its slash',
    '/rss.xml',
    'rss.xml',
    'path[2]  expected a path such as "/feed/*", got "rss.xml"',
  ],
  ['a number for a text', 'version: 1', 'version: 1\nlog_level: 7', LEVEL],
  [
    'what may be a secret',
    'hv_site_AbCdEfGh',
    'hv_secret_abc',
    `${SITEKEY}, got what may be a secret`,
  ],
  ['a header in capitals', 'user-agent:', 'User-Agent:', 'User-Agent  is unknown'],
  [
    'a repeated host',
    '[www.example.com]',
    '[a.example.com, a.example.com]',
    'hosts[1]  is repeated',
  ],
])('%s is reported with its place', async (_what, from, to, says) => {
  const { code, lines } = await check(SAMPLE.replace(from, to))
  expect([code, lines[0]]).toEqual([1, expect.stringMatching(/^hv-gate.yaml: \d errors?$/)])
  // The place and the name, and then the sentence.
  const told = lines
    .slice(1)
    .map((line) => line.replace(/^ {2}(\d+):(\d+) +/, '').replaceAll(/ {2,}/g, '  '))
  expect(told).toContainEqual(expect.stringContaining(says))
  expect(lines[1]).toMatch(/^ {2}[1-9]\d*:[1-9]/)
})

test('every problem is named at once', async () => {
  const { lines } = await check(
    SAMPLE.replace('contact:', 'contct:').replace('effect: allow', 'effect: alow'),
  )
  expect(lines).toHaveLength(3)
})

test('a text with a star and without quotes, and a repeated name, are reported as YAML', async () => {
  expect((await check(SAMPLE.replace('[www.example.com]', '[*.example.com]'))).code).toBe(1)
  expect((await check(`${SAMPLE}version: 1\n`)).lines[1]).toMatch(/^ {2}\d+:1 +.*unique/)
})

const NO_KEY = 'expected keys of hv-gate keygen in gate-key.json'
test.each([
  [
    'a secret file without a secret',
    { secret: 'nothing\n' },
    'expected one line hv_secret_… in gate-secret',
  ],
  ['a key file that is no JSON', { key: 'x' }, 'cannot be read: gate-key.json (not JSON)'],
  ['a key that is too short', { key: '{"keys":["c2hvcnQ"]}' }, NO_KEY],
  ['a key of zero bytes', { key: `{"keys":["${'A'.repeat(43)}"]}` }, NO_KEY],
  ['a key that is no text', { key: '{"keys":[7]}' }, NO_KEY],
  ['an older key of zero bytes', { key: withNewKey(`{"keys":["${'A'.repeat(43)}"]}`) }, NO_KEY],
  [
    'a secret that others may read',
    { secretMode: 0o604 },
    'others on this machine can read or change it; run: chmod o-rwx gate-secret',
  ],
  [
    'a key that others may read',
    { keyMode: 0o644 },
    'others on this machine can read or change it; run: chmod o-rwx gate-key.json',
  ],
])('%s is reported, and its text is not shown', async (_what, files, says) => {
  const { code, lines } = await check(SAMPLE, files)
  expect([code, lines[1]]).toEqual([1, expect.stringContaining(says)])
})

test('an allow rule for an end alone is warned about', async () => {
  const { code, lines } = await check(SAMPLE.replace('/rss.xml', '"/*.json"'))
  expect([code, lines[0]]).toEqual([0, 'warning: /*.json lets in every path with this end'])
})

const print = (): void => {}
test('keygen makes a key, puts another one first, and leaves a file alone that is none of its own', async () => {
  const file = join(newFolder(), 'key.json')
  const keys = () => (JSON.parse(readFileSync(file, 'utf8')) as { keys: string[] }).keys
  expect(await run(['keygen', file], print, print)).toBe(0)
  const [first] = keys()
  expect(await run(['keygen', file], print, print)).toBe(0)
  expect(keys()).toEqual([expect.not.stringMatching(`^${first}$`), first])
  // What a full disk left behind.
  writeFileSync(`${file}.new`, '{')
  expect(await run(['keygen', file], print, print)).toBe(0)
  writeFileSync(file, 'x')
  expect(await run(['keygen', file], print, print)).toBe(1)
  expect(readFileSync(file, 'utf8')).toBe('x')
})

const WRONG = [[], ['serve', 'x'], ['nonsense'], ['check', '--cnfig', 'x']].map(
  (args) => [2, args] as const,
)
test.each([...WRONG, [0, ['--help']]] as const)('exits with %j for %j', async (code, args) => {
  expect(await run(args, print, print)).toBe(code)
})

test.each([
  ['an unknown list', '[search-engine]', [], 'guests[0]        expected one of search-engines, '],
  ['hooks without a path', '[webhooks]', [], 'needs a rule with "guest: [webhooks]" and a path'],
  [
    'a rule that allows a query without a path',
    '[]',
    ['{name: it, when: {query: [s]}, effect: allow}'],
    'needs a path or a method: "query" says which parameters an allow rule takes',
  ],
  [
    'a rule for hooks without a path',
    '[feeds]',
    ['{name: it, when: {guest: [github-hooks]}, effect: allow}'],
    'needs a path: anybody can have github-hooks call any',
  ],
  [
    'a rule for a guest without addresses',
    '[]',
    ['{name: it, when: {guest: [feeds]}, effect: allow}'],
    'guest[0]  expected one of search-engines, ',
  ],
])('%s is named', async (_what, guests, own, says) => {
  const text = SAMPLE.replace(
    'rules:\n',
    `guests: ${guests}\n    rules:\n      - ${own[0] ?? '{name: it, when: {}, effect: level 1}'}\n`,
  )
  const { code, lines } = await check(text)
  expect(code).toBe(1)
  expect(lines.join('\n')).toContain(says)
})

test('guests are taken, and old lists are named', async () => {
  const text = SAMPLE.replace('rules:\n', 'guests: [feeds, monitors]\n    rules:\n')
  const { code, lines } = await check(text)
  expect(code).toBe(0)
  expect(lines).toContain('warning: uptimerobot: no ranges yet; run: hv-gate lists fetch')
})

test('lists are shown with what lets each guest in, and an unknown name with the known ones', async () => {
  const lines: string[] = []
  const out = (line: string): void => void lines.push(line)
  const config = ['--config', join(newFolder(), 'hv-gate.yaml')]
  expect(await run(['lists', 'show', 'webhooks', ...config], out, out)).toBe(0)
  expect(lines.join('\n')).toMatch(/github-hooks.*docs.github.com.*needs.*192\.30\.252\.0\/22/s)
  expect(await run(['lists', 'show', 'constructor', ...config], out, out)).toBe(1)
  expect(lines.at(-1)).toMatch(/^no such list; there are: search-engines/)
  expect(await run(['lists'], out, out)).toBe(2)
})

test('the named guests of the guide are accepted', async () => {
  const [, block = ''] = /^```yaml\n(guests:.*?)^```$/ms.exec(guide) ?? []
  const own = block.replaceAll(/^/gm, '    ').trimEnd()
  const { code } = await check(SAMPLE.replace(/^    rules:\n/m, `${own}\n`))
  expect([block === '', code]).toEqual([false, 0])
})
