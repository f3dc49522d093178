/** `hv rules test`: which rule of a site a described visit meets. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import { newFolder } from '../../support/close-later.ts'
import { SITEKEY } from '../../support/app.ts'
import { hv } from '../../support/hv.ts'
import { mmdb } from '../../support/mmdb.ts'

const folder = newFolder()
const NOW = Date.UTC(2026, 10, 21, 12)
const configuration = (site: string, top = ''): string =>
  `version: 1\n${top}sites:\n  - sitekey: ${SITEKEY}\n    name: Shop\n    hostnames: [shop.example.com]\n    secrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]\n    work: {level: 0}\n${site}`
const write = (name: string, text: string | Buffer): void => writeFileSync(join(folder, name), text)
const run = (...args: string[]) => hv(args, { cwd: folder, now: unixSeconds(NOW / 1000) })

const RULES = `    rules:
      - {name: office, when: {cidr: [192.0.2.0/24]}, effect: {allow: true}}
      - {name: ended, when: {action: [sign-up]}, effect: {deny: true}, until: 2026-01-01T00:00:00Z}
      - {name: tor, when: {list: [tor]}, effect: {deny: true}}
      - {name: robots, when: {user_agent: ["python*"], action: [sign-up]}, effect: {score: -2.5, work: 4}}
      - {name: abroad, when: {country: [FR]}, effect: {score: 0}}
      - {name: crawlers, when: {agent: [any]}, effect: {allow: true}}
`
const LISTS = 'lists: [{name: tor, kind: tor-exit, file: tor.txt}]'
write('tor.txt', '198.51.100.7\n')
write('crawler.txt', '198.51.100.64/28\n')
write('c.mmdb', mmdb({ '203.0.113.0/24': { country: { iso_code: 'FR' }, asn: 64_500 } }))
const top = `network: {mmdb: [c.mmdb], ${LISTS}}\nagents: [{name: crawler, ranges: crawler.txt}]\n`
write('rules.yaml', configuration(RULES, top))
// By its name; elsewhere by its sitekey.
const tried = (...args: string[]) =>
  run('rules', 'test', '--config', 'rules.yaml', '--site', 'Shop', ...args)
const met = async (...args: string[]) =>
  (JSON.parse((await tried(...args, '--json')).out) as { met: string | null }).met

test.each([
  ['office', ['--ip', '192.0.2.77']],
  ['tor', ['--ip', '198.51.100.7']],
  ['robots', ['--user-agent', 'Python-requests/2', '--action', 'sign-up']],
  ['abroad', ['--ip', '203.0.113.1']],
  ['abroad', ['--country', 'FR']],
  ['ended', ['--action', 'sign-up', '--at', '2025-12-31T23:59:59Z']],
  ['crawlers', ['--ip', '198.51.100.70']],
  ['crawlers', ['--agent', 'crawler']],
  [null, []],
])('%s is met by %j', async (name, args) => expect(await met(...args)).toBe(name))

test('prints the result of each rule', async () => {
  const { code, out } = await tried(
    '--ip',
    '203.0.113.1',
    '--user-agent',
    'python',
    '--action',
    'sign-up',
  )
  expect(code).toBe(0)
  expect(out.trimEnd().split('\n')).toEqual([
    'network 64500, country FR',
    '  office    no match: needs address in 192.0.2.0/24',
    '  ended     ignored: it has ended',
    '  tor       no match: needs address on tor',
    '  robots    MET: −2.5 to the log-odds, work of level 4',
    '  abroad    not evaluated: an earlier rule matches',
    '  crawlers  not evaluated: an earlier rule matches',
    'the threshold is 0.5; a low score: no second try',
  ])
  expect((await tried()).out).toContain(
    '  office    no match: unknown whether address in 192.0.2.0/24',
  )
  expect((await tried()).out).toContain('no rule matches: the score alone decides')
})

test.each([
  [
    'managed',
    [],
    'a low score: the widget asks for a second try where more evidence could help',
    'managed',
  ],
  ['ticket', [], 'a low score: siteverify gives a ticket for a second try', 'ticket'],
  ['managed', ['--ip', '198.51.100.7'], 'a low score: no second try', 'off'],
  [
    'ticket',
    ['--ip', '198.51.100.7'],
    'a low score: siteverify gives a ticket for a second try',
    'ticket',
  ],
])('says what follows a low score, step_up: %s, %j', async (stepUp, visit, text, told) => {
  const rules = '    rules: [{name: tor, when: {list: [tor]}, effect: {deny: true}}]\n'
  write('stepping.yaml', configuration(`    step_up: ${stepUp}\n${rules}`, `network: {${LISTS}}\n`))
  const ask = (...more: string[]) =>
    run('rules', 'test', '--config', 'stepping.yaml', '--site', SITEKEY, ...visit, ...more)
  expect((await ask()).out.split('\n')).toContain(`the threshold is 0.5; ${text}`)
  expect(JSON.parse((await ask('--json')).out)).toMatchObject({
    step_up: told,
    score_threshold: 0.5,
  })
})

test.each([
  ['--ip', 'localhost'],
  ['--at', 'tomorrow'],
  ['--country', 'Germany'],
  ['--asn', 'AS1'],
  ['--site', 'hv_site_nobody'],
])('called wrongly: %s %s', async (...args) => {
  const { code, err } = await tried(...args)
  expect([code, err]).toEqual([2, expect.stringContaining('hv rules test')])
})
