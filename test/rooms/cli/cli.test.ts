import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Command } from 'commander'
import { ioOf } from '../../../src/cli/io.ts'
import { hvProgram } from '../../../src/cli/run.ts'
import { type Environment, loadConfig } from '../../../src/settings/load.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import type { Jwk } from '../../../src/tokens/keyring.ts'
import { hv as run } from '../../support/hv.ts'

const NOW = unixSeconds(Date.UTC(2026, 10, 21, 12) / 1000)
let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'hv-cli-'))
  mkdirSync(join(cwd, 'config'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const hv = (line: readonly string[], env: Environment = {}, input = '') => run(line, { cwd, env, now: NOW, input })

const configured = (): string => {
  copyFileSync('config/demo.yaml', join(cwd, 'config/config.yaml'))
  return join(cwd, 'config/config.yaml')
}
const secretIn = (out: string): string => /^secret: +(\S+)$/m.exec(out)![1]!
const sitekeyIn = (out: string): string => /^sitekey: +(\S+)$/m.exec(out)![1]!
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The commands that do something, by name. */
const leavesOf = ({ commands }: Command, path = ''): readonly [string, Command][] =>
  commands.flatMap((each) =>
    each.commands.length > 0 ? leavesOf(each, `${path}${each.name()} `) : [[`${path}${each.name()}`, each]],
  )
const LEAVES = leavesOf(
  await hvProgram(
    ioOf({ stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough(), env: {}, cwd: '.' }),
  ),
)

describe('every command', () => {
  test.each(LEAVES)('hv %s --help has examples and exit codes, and does nothing', async (name, command) => {
    const { code, out, err } = await hv([...name.split(' '), '--help'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(new RegExp(`^Usage: hv ${name}`))
    const examples = /^Examples:\n((?: {2}.+\n)+)/m.exec(out)![1]!
    expect(examples).toContain(`hv ${name}`)
    for (const [, option] of examples.matchAll(/ (--[a-z-]+)/g))
      expect(command.options.map(({ long }) => long)).toContain(option)
    expect(out).toMatch(/^Exit codes: 0 done; 1 .+; 2 usage error\.$/m)
  })

  test.each(LEAVES)('hv %s names the nearest option for one that is unknown', async (name, command) => {
    const { long } = command.options[0]!
    const { code, out, err } = await hv([...name.split(' '), `${long!.slice(0, -1)}x`])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`(Did you mean ${long}?)`)
    expect(err).toContain(`More: hv ${name} --help`)
  })

  test.each([
    ['check', '--confg', 'x'],
    ['check', 'unexpected'],
    ['site'],
    ['site', 'remove'],
    ['site', 'constructor'],
    ['site', 'add'],
    ['site', 'add', '--hostname'],
    ['site', 'add', '--hostname', 'https://a.example/'],
    ['site', 'add', '--hostname', '*.com'],
    ['site', 'add', '--hostname', 'a.example', '--action', 'sign up'],
    ['site', 'rotate'],
    ['site', 'rotate', 'hv_site_aaaaaaaa', 'hv_site_bbbbbbbb'],
    ['site', 'rotate', 'hv_site_aaaaaaaa', '--overlap', '2 hours'],
    ['site', 'rotate', 'hv_site_aaaaaaaa', '--overlap', '91d'],
    ['keygen', '--keyring', 'k.json', '--active-in', 'soon'],
  ])('called wrongly says how, with exit code 2: hv %s %s %s %s', async (...line) => {
    const { code, out, err } = await hv(line.filter((each) => each !== undefined))
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`hv ${line[0]}`)
  })

  test('hv alone, hv --help and hv help name them all; an unknown command is told the nearest', async () => {
    for (const line of [[], ['--help'], ['help']]) {
      const { code, out } = await hv(line)
      expect(code).toBe(0)
      for (const [name] of LEAVES) expect(out).toContain(`\n  ${name.split(' ')[0]} `)
    }
    const wrong = await hv(['chek'])
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('(Did you mean check?)')])
  })

  test('in a file of its own has a row in src/cli/run.ts, else nobody can call it', () => {
    const files = readdirSync('src/cli').filter((name) =>
      /Command = \(io: Io\)/.test(readFileSync(`src/cli/${name}`, 'utf8')),
    )
    const called = new Set(LEAVES.map(([name]) => `${name.split(' ')[0]}.ts`))
    expect(files.filter((name) => !called.has(name))).toEqual([])
  })

  test('prints nothing that moves a cursor, whoever chose the words', async () => {
    const { err } = await hv(['check', '--config', 'a\u001b[2J\u202e.yaml'])
    expect(err).toContain(String.raw`a\u001b[2J\u202e.yaml`)
    for (const char of ['\u001b', '\u202e']) expect(err).not.toContain(char)
  })
})

describe('--json prints one JSON value, and nothing else on standard output', () => {
  const SITE = 'hv_site_demopx-kFQkgnI3lniO4'
  const OTHER = 'hv_site_anothershop'
  const decision = {
    model: 1,
    base: 0,
    score: 0.5,
    threshold: 0.5,
    units: 1,
    contributions: [],
    reasons: [],
    weights: 'unknown',
  }
  // A command that needs nothing has no line.
  const LINES: Readonly<Record<string, { args?: readonly string[]; input?: string; code?: number }>> = {
    'site add': { args: ['--hostname', 'new.example.com'] },
    'site rotate': { args: [OTHER] },
    'site remove': { args: [OTHER] },
    keygen: { args: ['--keyring', 'keyring.json'] },
    explain: { input: JSON.stringify({ decision }) },
    'rules test': { args: ['--site', SITE] },
    'pass issue': { args: ['--site', SITE, '--url', 'http://localhost/', '--action', 'sign-up'] },
    'agents test': { input: 'POST /api/v1/challenge HTTP/1.1\nHost: a.example\n\n', code: 1 },
  }
  // A service has to run for these: test/world/doctor/url.test.ts, test/world/cli/programs.test.ts.
  const ELSEWHERE = ['doctor', 'test-server']
  const having = LEAVES.filter(([, { options }]) => options.some(({ long }) => long === '--json')).map(([name]) => name)
  test('every line, and every one elsewhere, is of a command', () => {
    expect(having).toEqual(expect.arrayContaining([...Object.keys(LINES), ...ELSEWHERE]))
  })
  test.each(having.filter((name) => !ELSEWHERE.includes(name)))('hv %s', async (name) => {
    const { args = [], input, code = 0 } = LINES[name] ?? {}
    const file = configured()
    const other = `  - {sitekey: ${OTHER}, hostnames: [other.example.com], secrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]}\n`
    writeFileSync(file, `${readFileSync(file, 'utf8')}${other}`)
    if (name === 'pass issue') await hv(['pass', 'keygen'])
    const ran = await hv([...name.split(' '), ...args, '--json'], {}, input)
    expect(ran).toMatchObject({ code })
    expect(typeof JSON.parse(ran.out)).toBe('object')
  })
})

describe('hv check', () => {
  test('a good file is fine', async () => {
    configured()
    expect(await hv(['check'])).toEqual({
      code: 0,
      out: 'config/config.yaml: fine; 1 site, the embedded ledger\n',
      err: '',
    })
  })

  test('says what each origin of an app means', async () => {
    const file = configured()
    const origins = ['capacitor://localhost', 'chrome-extension://abcdefghijklmnop', 'moz-extension://0-1']
    const text = readFileSync(file, 'utf8').replace(/^( +)hostnames:/m, `$1app_origins: ${JSON.stringify(origins)}\n$&`)
    writeFileSync(file, text)
    const { out } = await hv(['check'])
    const notes = out.trim().split('\n').slice(1)
    expect(notes.map((line) => line.replace(/^.+?: (?=[a-z-]+:)/, ''))).toEqual([
      'capacitor://localhost is every app whose pages run there, not only yours: any program can send it, so it is no attestation',
      'chrome-extension://abcdefghijklmnop is one browser extension, by the id of its key',
      'moz-extension://0-1 is one installation of an extension: Firefox gives each another id',
    ])
    expect(JSON.parse((await hv(['check', '--json'])).out)).toMatchObject({ fine: true, notes })
  })

  test.each([
    ['2026-11-26T12:00:00Z', /Demonstration: the last secret expires in 5 days: hv site rotate/],
    ['2026-11-20T12:00:00Z', /Demonstration: all secrets have expired: hv site rotate/],
    ['2026-12-26T12:00:00Z', /^$/],
  ])('says when the last secret of a site ends at %s', async (end, note) => {
    const file = configured()
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^( +)- sha256: .*$/m, `$&\n$1  not_after: ${end}`))
    const { notes } = JSON.parse((await hv(['check', '--json'])).out) as { notes: string[] }
    expect(notes.join('\n')).toMatch(note)
  })

  test.each([
    [
      'a name below a file',
      ['check', '--config', 'plain/x.yaml'],
      /^plain\/x\.yaml: 1 error.*\n.*cannot be read: .*ENOTDIR/,
    ],
    ['a file that is not there', ['check', '--config', 'none.yaml'], /^none\.yaml: 1 error.*\n.*there is no such file/],
    [
      'a keyring below a file',
      ['keygen', '--keyring', 'plain/keys/k.json'],
      /plain\/keys: cannot be written: .*ENOTDIR/,
    ],
  ])('%s is no defect of hv', async (_what, args, says) => {
    writeFileSync(join(cwd, 'plain'), '')
    const { code, err } = await hv(args)
    expect(code).toBe(1)
    expect(err).toMatch(says)
  })

  test('a bad file is reported as it is named, with exit code 1', async () => {
    writeFileSync(join(cwd, 'bad.yaml'), 'version: 2\nsites: []\n')
    const { code, out, err } = await hv(['check'], { HV_CONFIG: 'bad.yaml' })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toBe(
      'bad.yaml: 2 errors, nothing was started\n' +
        '  1:10  version  expected 1, got 2\n' +
        '  2:8   sites    expected at least one site (hv site add makes one), got []\n',
    )
  })
})

describe('hv site add', () => {
  test('adds a site whose printed secret is the one of the file, and keeps what was there', async () => {
    const file = configured()
    const before = readFileSync(file, 'utf8')
    const line = [
      'site',
      'add',
      '--hostname',
      'shop.example.com',
      '--hostname',
      '*.shop.example.com',
      '--action',
      'a',
      '--action',
      'b',
      '--name',
      'Shop: "best"',
    ]
    const { code, out } = await hv(line)
    expect(code).toBe(0)
    expect(sitekeyIn(out)).toMatch(/^hv_site_[A-Za-z0-9_-]{22}$/)
    expect(secretIn(out)).toMatch(/^hv_secret_[A-Za-z0-9_-]{43}$/)
    const after = readFileSync(file, 'utf8')
    expect(before.split('\n').filter((each) => !after.split('\n').includes(each))).toEqual([])
    expect(after).not.toContain(secretIn(out))
    expect(loadConfig(file, {}).sites[1]).toMatchObject({
      sitekey: sitekeyIn(out),
      name: 'Shop: "best"',
      secrets: [{ sha256: sha256(secretIn(out)) }],
      hostnames: ['shop.example.com', '*.shop.example.com'],
      actions: ['a', 'b'],
      stepUp: 'managed',
    })
  })

  // A bug: in an empty folder the first command of a newcomer said "cannot be written: the system says ENOENT".
  test('and the folder it is in, as hv keygen does for a keyring', async () => {
    rmSync(join(cwd, 'config'), { recursive: true })
    expect((await hv(['keygen', '--keyring', 'keys/keyring.json'])).code).toBe(0)
    expect((await hv(['site', 'add', '--hostname', 'localhost'])).code).toBe(0)
    expect(loadConfig(join(cwd, 'config/config.yaml'), {}).sites).toHaveLength(1)
  })

  test('adds nothing to a file that would not load afterwards', async () => {
    const file = configured()
    writeFileSync(file, `${readFileSync(file, 'utf8')}zebra: 1\n`)
    const before = readFileSync(file, 'utf8')
    const { code, out, err } = await hv(['site', 'add', '--hostname', 'a.example'])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('1 error, nothing was changed')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })
})

describe('hv site rotate', () => {
  test('prints a second secret, and the old one ends after the overlap', async () => {
    const file = configured()
    const added = await hv(['site', 'add', '--hostname', 'a.example'])
    const { code, out, err } = await hv(['site', 'rotate', sitekeyIn(added.out)])
    expect(code).toBe(0)
    expect(err).toContain('2026-11-21T14:00:00Z')
    expect(loadConfig(file, {}).sites[1]?.secrets).toEqual([
      { sha256: sha256(secretIn(added.out)), notAfter: NOW + 7200 },
      { sha256: sha256(secretIn(out)), notAfter: undefined },
    ])
  })

  test('without an overlap the old one ends now', async () => {
    const file = configured()
    const { out } = await hv(['site', 'add', '--hostname', 'a.example'])
    await hv(['site', 'rotate', sitekeyIn(out), '--overlap', '0s'])
    expect(loadConfig(file, {}).sites[1]?.secrets[0]?.notAfter).toBe(NOW)
  })
})

test('hv site list names the sites, and neither secrets nor hashes', async () => {
  configured()
  const { out } = await hv(['site', 'add', '--hostname', 'a.example', '--name', 'A'])
  await hv(['site', 'rotate', sitekeyIn(out), '--overlap', '1d'])
  const list = await hv(['site', 'list'])
  expect(list.code).toBe(0)
  expect(list.out).toMatch(/^SITEKEY +NAME +HOSTNAMES +SECRETS$/m)
  expect(list.out).toMatch(/^hv_site_demo\S+ +Demonstration +localhost 127\.0\.0\.1 +1 live: no end$/m)
  expect(list.out).toMatch(/ +A +a\.example +2 live: until 2026-11-22T12:00:00Z, no end$/m)
  expect(list.out).not.toMatch(/hv_secret|[0-9a-f]{64}/)
})

describe('hv keygen', () => {
  test('makes a keyring readable by its owner alone, then puts newer keys in front', async () => {
    const first = await hv(['keygen', '--keyring', 'keyring.json'])
    const second = await hv(['keygen', '--active-in', '10m'], { HV_KEYRING: 'keyring.json' })
    expect([first.code, second.code]).toEqual([0, 0])
    const path = join(cwd, 'keyring.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { keys } = JSON.parse(readFileSync(path, 'utf8')) as { keys: Jwk[] }
    expect(keys.map(({ nbf }) => nbf)).toEqual([NOW + 600, NOW])
    expect(keys[1]!.history).toBe(keys[0]!.history)
    expect([first.out, second.out].map((out) => out.includes('keyring.json: new keyring'))).toEqual([true, false])
    expect(first.out).toContain(keys[1]!.kid)
    expect(second.out).toContain(keys[0]!.kid)
    for (const { k } of keys) expect(first.out + first.err + second.out + second.err).not.toContain(k)
  })

  test("uses the configuration's keyring, which is relative to the file", async () => {
    const file = configured()
    writeFileSync(file, `${readFileSync(file, 'utf8')}keyring: keys.json\n`)
    expect((await hv(['keygen'])).code).toBe(0)
    expect(statSync(join(cwd, 'config/keys.json')).size).toBeGreaterThan(100)
  })

  test('says when nobody names a keyring', async () => {
    configured()
    expect(await hv(['keygen'])).toMatchObject({ code: 2, out: '' })
  })

  test('leaves a keyring alone that it does not understand', async () => {
    const path = join(cwd, 'keyring.json')
    writeFileSync(path, '{"keys": "none"}', { mode: 0o600 })
    const { code, err } = await hv(['keygen', '--keyring', 'keyring.json'])
    expect(code).toBe(1)
    expect(err).toContain('keyring.json')
    expect(readFileSync(path, 'utf8')).toBe('{"keys": "none"}')
  })
})
