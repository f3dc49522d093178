/** `hv policy diff` and `hv rules test`, on a log that a real service wrote. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { COMMANDS } from '../../../src/cli/commands.ts'
import type { FlipGroup } from '../../../src/cli/flips.ts'
import { linesOf } from '../../../src/cli/log-lines.ts'
import { checkConfig } from '../../../src/config/load.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { SITEKEY, testService } from '../../support/app.ts'
import { mmdb } from '../../support/mmdb.ts'
import { BROWSER, someone, token } from '../../support/visitor.ts'

const folder = mkdtempSync(join(tmpdir(), 'hv-policy-'))
const NOW = Date.UTC(2026, 10, 21, 12)
const configuration = (site: string, top = ''): string =>
  `version: 1\n${top}sites:\n  - sitekey: ${SITEKEY}\n    name: Shop\n    hostnames: [shop.example.com]\n    secrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]\n    work: {level: 0}\n${site}`
const write = (name: string, text: string | Buffer): string => {
  writeFileSync(join(folder, name), text)
  return name
}
async function hv(...line: string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const [name, ...args] = line
  const code = await COMMANDS[name!]!.run(args, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    env: {},
    cwd: folder,
    now: () => unixSeconds(NOW / 1000),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** Another robot each time, as `someone` is another person: what repeats is a contribution of its own. */
function robot() {
  const person = someone()
  return { ...person, automation: { ...person.automation, webdriver: 1 } }
}
const OLD = configuration('    rules: [{name: agents, when: {user_agent: [robot]}, effect: {deny: true}}]\n')
let log = ''

beforeAll(async () => {
  const [site] = checkConfig(OLD, 'old.yaml', {}).sites
  const service = await testService({
    siteList: [site!],
    nowMs: () => NOW,
    networks: { of: () => ({ asn: 64_496, country: 'DE', lists: [] }) },
  })
  for (const [action, signals, count, agent] of [
    ['sign-up', someone, 3, undefined],
    ['sign-up', robot, 2, undefined],
    ['contact', someone, 1, undefined],
    ['contact', someone, 1, 'a robot'],
  ] as const) {
    const headers = agent === undefined ? BROWSER : { ...BROWSER, 'user-agent': agent }
    for (let i = 0; i < count; i++) await token({ ...service.ask, action, signals: signals(), headers })
  }
  const solves = () => service.lines().filter(({ message }) => message === 'solve')
  for (let i = 0; i < 200 && solves().length < 7; i++) await new Promise((resolve) => setTimeout(resolve, 20))
  expect(solves()).toHaveLength(7)
  log = service
    .lines()
    .map((line) => JSON.stringify(line))
    .join('\n')
  await service.stop(0)
  write('hv.log', `not json\n${log}\n{"decision": {"model"\n`)
  write('old.yaml', OLD)
})
afterAll(() => rmSync(folder, { recursive: true }))

const diff = async (text: string, ...more: string[]) => {
  const { code, out, err } = await hv(
    'policy',
    'diff',
    write('new.yaml', text),
    '--decisions',
    'hv.log',
    '--json',
    ...more,
  )
  expect(err).toBe('')
  const sum = JSON.parse(out) as { groups: FlipGroup[] } & Record<string, number>
  const group = (action: string) => sum.groups.find((each) => each.action === action)!
  return { code, sum, group }
}

describe('hv policy diff', () => {
  test('the same policy flips nobody, though a log cannot tell agent strings', async () => {
    const { code, sum } = await diff(OLD)
    expect(code).toBe(0)
    expect(sum).toMatchObject({ decisions: 7, accepted_to_refused: 0, undecided: 6, unreadable: 1, other_sites: 0 })
    expect(sum['refused_to_accepted']).toBe(0)
  })

  test('a stricter threshold refuses whom it would, by action', async () => {
    const { sum, group } = await diff(configuration('    score_threshold: 1\n'))
    expect(sum).toMatchObject({ passed_before: 4, passes_after: 0, accepted_to_refused: 4 })
    expect(group('sign-up')).toMatchObject({ decisions: 5, passed_before: 3, accepted_to_refused: 3 })
    expect(group('sign-up').examples).toHaveLength(3)
    expect(group('sign-up').examples[0]).toMatchObject({ jti: expect.stringMatching(/^.{22}$/), now: 'refused' })
  })

  test('other weights count what fired then', async () => {
    const { sum, group } = await diff(configuration('', 'score: {off: [webdriver-true]}\n'))
    expect(sum).toMatchObject({ refused_to_accepted: 3, accepted_to_refused: 0 })
    // The rule that denied this one is gone as well.
    expect(group('contact')).toMatchObject({ refused_to_accepted: 1 })
    expect(group('sign-up')).toMatchObject({ refused_to_accepted: 2 })
    expect(group('sign-up').examples[0]).toMatchObject({ now: 'accepted', from: expect.any(Number) })
    expect(group('sign-up').examples[0]!.to).toBeGreaterThan(group('sign-up').examples[0]!.from)
  })

  test.each([
    ['country: [DE]', 4],
    ['country: [FR]', 0],
    ['asn: [64496]', 4],
    ['action: [contact]', 1],
    ['cidr: [127.0.0.0/8, "::/48"]', 4],
    ['cidr: [192.0.2.0/24]', 0],
  ])('a rule on what the log knows is decided: %s refuses %i', async (when, refused) => {
    const rules = `    rules: [{name: new-rule, when: {${when}}, effect: {deny: true}}]\n`
    const { sum, group } = await diff(configuration(rules, 'network: {mmdb: [x.mmdb]}\n'))
    expect(sum['accepted_to_refused']).toBe(refused)
    expect(sum['undecided']).toBe(0)
    expect(group('contact').examples.map(({ rule }) => rule)).toEqual(refused > 0 ? ['new-rule'] : [])
  })

  test('a rule on part of what the log kept of an address is undecided', async () => {
    const rules = '    rules: [{name: half, when: {cidr: [127.0.0.0/25]}, effect: {deny: true}}]\n'
    expect((await diff(configuration(rules))).sum).toMatchObject({ undecided: 7, accepted_to_refused: 0 })
  })

  test('a rule that the old configuration has too is decided by whether it was met then', async () => {
    // Without --against the log alone says that one met it; of the others it cannot tell.
    const { sum } = await diff(OLD.replace('name: agents', 'name: renamed'), '--against', 'old.yaml')
    expect(sum).toMatchObject({ undecided: 0, accepted_to_refused: 0, refused_to_accepted: 0 })
    const allow = OLD.replace('effect: {deny: true}', 'effect: {allow: true}')
    expect((await diff(allow, '--against', 'old.yaml')).sum).toMatchObject({ undecided: 0, refused_to_accepted: 1 })
  })

  test('for people: a table, examples by id, what was passed over', async () => {
    const { code, out } = await hv(
      'policy',
      'diff',
      write('new.yaml', configuration('    score_threshold: 1\n')),
      '--decisions',
      'hv.log',
      '--examples',
      '1',
    )
    expect(code).toBe(0)
    expect(out).toMatch(/^SITEKEY +ACTION +DECISIONS +PASSED +WOULD PASS/)
    expect(out).toMatch(/^hv_site_testshop +sign-up +5 +3 +0 +3 \(60\.0 %\) +0$/m)
    expect(out).toMatch(/^ {4}\S{22} {2}now refused: 0\.\d+ → 0\.\d+$/m)
    expect(out).toContain('4 of 7 decisions would change')
    expect(out).toMatch(/1 lines that cannot be read/)
  })

  test.each([
    // 0.65 is the most that a step lifts to, and nothing that a driver did is bought off.
    ['managed', 0.5, 0],
    ['managed', 0.99, 0],
    ['ticket', 0.5, 2],
    ['ticket', 0.99, 7],
    ['off', 0.99, 0],
  ])('step_up: %s under a threshold of %d: %d would get a second try', async (stepUp, threshold, count) => {
    const policy = configuration(`    step_up: ${stepUp}\n    score_threshold: ${threshold}\n`)
    const { sum, group } = await diff(policy)
    expect(sum['step_ups_after']).toBe(count)
    expect(group('sign-up').step_ups_after + group('contact').step_ups_after).toBe(count)
    const { out } = await hv('policy', 'diff', write('new.yaml', policy), '--decisions', 'hv.log')
    expect(/(\d+) of the refused would get a second try/.exec(out)?.[1]).toBe(count > 0 ? String(count) : undefined)
  })

  test('step_up: managed gives one to people whom other weights refuse, and none to robots', async () => {
    const policy = configuration('    step_up: managed\n    score: {bounds: {input: [0, 0]}}\n')
    const { sum, group } = await diff(policy)
    expect([sum['step_ups_after'], group('sign-up').step_ups_after]).toEqual([5, 3])
  })

  test.each([
    ['--decisions', 'none.log'],
    ['--decisions', 'empty.log'],
  ])('%s %s: exit code 1, in words', async (...more) => {
    write('empty.log', '{"level":"info"}\n')
    const { code, out, err } = await hv('policy', 'diff', 'old.yaml', ...more)
    expect([code, out + err]).toEqual([1, expect.stringMatching(/no decision|no such file/)])
  })

  test.each([
    [],
    ['old.yaml'],
    ['old.yaml', '--decisions', 'hv.log', '--examples', '-1'],
    ['old.yaml', '--decisions', 'hv.log', '--site', 'hv_site_nobody'],
  ])('called wrongly: %j', async (...args) => expect((await hv('policy', 'diff', ...args)).code).toBe(2))

  test('a configuration that cannot be used is reported', async () => {
    const { code, err } = await hv('policy', 'diff', write('bad.yaml', 'version: 2\n'), '--decisions', 'hv.log')
    expect([code, err]).toEqual([1, expect.stringContaining('to fix, nothing was compared')])
  })
})

describe('a log', () => {
  const lines = async (...chunks: (string | Buffer)[]) => {
    const found: (string | undefined)[] = []
    for await (const { text } of linesOf(Readable.from(chunks.map((each) => Buffer.from(each))))) found.push(text)
    return found
  }
  test('is read in lines, wherever its chunks end', async () => {
    const umlaut = Buffer.from('ü')
    expect(await lines('a\nb', 'c\n', '\n', umlaut.subarray(0, 1), umlaut.subarray(1), 'd')).toEqual([
      'a',
      'bc',
      '',
      'üd',
    ])
    expect(await lines('a\n')).toEqual(['a'])
    expect(await lines()).toEqual([])
  })

  test('of one endless line is never held in memory', async () => {
    const chunk = 'x'.repeat(1_000_000)
    function* endless() {
      for (let i = 0; i < 300; i++) yield Buffer.from(chunk)
      yield Buffer.from('\nshort\n')
    }
    const before = process.memoryUsage().heapUsed
    const found = []
    for await (const { text } of linesOf(Readable.from(endless()))) found.push(text)
    expect(found).toEqual([undefined, 'short'])
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150e6)
  })
})

describe('hv rules test', () => {
  const RULES = `    rules:
      - {name: office, when: {cidr: [192.0.2.0/24]}, effect: {allow: true}}
      - {name: ended, when: {action: [sign-up]}, effect: {deny: true}, until: 2026-01-01T00:00:00Z}
      - {name: tor, when: {list: [tor]}, effect: {deny: true}}
      - {name: robots, when: {user_agent: ["python*"], action: [sign-up]}, effect: {score: -2.5, work: 4}}
      - {name: abroad, when: {country: [FR]}, effect: {score: 0}}
`
  beforeAll(() => {
    write('tor.txt', '198.51.100.7\n')
    write('c.mmdb', mmdb({ '203.0.113.0/24': { country: { iso_code: 'FR' }, asn: 64_500 } }))
    write(
      'rules.yaml',
      configuration(RULES, 'network: {mmdb: [c.mmdb], lists: [{name: tor, kind: tor-exit, file: tor.txt}]}\n'),
    )
  })
  const tried = (...args: string[]) => hv('rules', 'test', '--config', 'rules.yaml', '--site', SITEKEY, ...args)
  const met = async (...args: string[]) =>
    (JSON.parse((await tried(...args, '--json')).out) as { met: string | null }).met

  test.each([
    ['office', ['--ip', '192.0.2.77']],
    ['tor', ['--ip', '198.51.100.7']],
    ['robots', ['--user-agent', 'Python-requests/2', '--action', 'sign-up']],
    ['abroad', ['--ip', '203.0.113.1']],
    ['abroad', ['--country', 'FR']],
    ['ended', ['--action', 'sign-up', '--at', '2025-12-31T23:59:59Z']],
    [null, ['--action', 'sign-up', '--at', '2026-01-01T00:00:00Z']],
    [null, []],
    [null, ['--ip', '2001:db8::1']],
  ])('%s is met by %j', async (name, args) => expect(await met(...args)).toBe(name))

  test('says of each rule what became of it', async () => {
    const { code, out } = await tried('--ip', '203.0.113.1', '--user-agent', 'python', '--action', 'sign-up')
    expect(code).toBe(0)
    expect(out.split('\n')).toEqual([
      'network 64500, country FR',
      '  office  not met: wants address in 192.0.2.0/24',
      '  ended   passed over: it has ended',
      '  tor     not met: wants address on tor',
      '  robots  MET: −2.5 to the log-odds, work of level 4',
      '  abroad  not asked: one above is met',
      'a low score: no second try',
    ])
    expect((await tried()).out).toContain('  office  not met: not known whether address in 192.0.2.0/24')
    expect((await tried()).out).toContain('no rule is met: the score alone decides')
  })

  test.each([
    ['managed', [], 'a low score: the widget asks for a second try where more evidence could help', 'managed'],
    ['ticket', [], 'a low score: siteverify gives a ticket for a second try', 'ticket'],
    ['managed', ['--ip', '198.51.100.7'], 'a low score: no second try', 'off'],
    ['ticket', ['--ip', '198.51.100.7'], 'a low score: siteverify gives a ticket for a second try', 'ticket'],
  ])('says what follows a low score, step_up: %s, %j', async (stepUp, visit, text, told) => {
    write(
      'stepping.yaml',
      configuration(
        `    step_up: ${stepUp}\n    rules: [{name: tor, when: {list: [tor]}, effect: {deny: true}}]\n`,
        'network: {lists: [{name: tor, kind: tor-exit, file: tor.txt}]}\n',
      ),
    )
    const ask = (...more: string[]) =>
      hv('rules', 'test', '--config', 'stepping.yaml', '--site', SITEKEY, ...visit, ...more)
    expect((await ask()).out.split('\n')).toContain(text)
    expect(JSON.parse((await ask('--json')).out)).toMatchObject({ step_up: told })
  })

  test('takes the site by its name too', async () => {
    expect((await hv('rules', 'test', '--config', 'rules.yaml', '--site', 'Shop')).code).toBe(0)
  })

  test.each([
    ['--ip', 'localhost'],
    ['--action', 'sign up'],
    ['--at', 'tomorrow'],
    ['--country', 'Germany'],
    ['--asn', 'AS1'],
    ['--site', 'hv_site_nobody'],
  ])('called wrongly: %s %s', async (...args) => {
    const { code, err } = await tried(...args)
    expect([code, err]).toEqual([2, expect.stringContaining('hv rules test')])
  })

  test('a network file that is not there is a sentence, exit code 1', async () => {
    write(
      'gone.yaml',
      configuration(
        RULES.replace('country: [FR]', 'action: [x]'),
        'network: {lists: [{name: tor, kind: vpn, file: none.txt}]}\n',
      ),
    )
    const { code, err } = await hv('rules', 'test', '--config', 'gone.yaml', '--site', SITEKEY)
    expect([code, err]).toEqual([1, expect.stringContaining('none.txt cannot be read: there is no such file')])
  })
})
