import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { ioOf } from '../../../src/cli/io.ts'
import { OPENS_FOR, retire } from '../../../src/cli/keygen.ts'
import { hvProgram } from '../../../src/cli/run.ts'
import type { Environment } from '../../../src/settings/load.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { type Jwk, newKey } from '../../../src/tokens/keyring.ts'
import { newFolder } from '../../support/close-later.ts'
import { hv as run } from '../../support/hv.ts'

const NOW = unixSeconds(Date.UTC(2026, 10, 21, 12) / 1000)
let cwd = ''
beforeEach(() => {
  cwd = newFolder()
  mkdirSync(join(cwd, 'config'))
})

const hv = (line: readonly string[], env: Environment = {}, input = '') =>
  run(line, { cwd, env, now: NOW, input })

const configured = (): string => {
  copyFileSync('config/demo.yaml', join(cwd, 'config/config.yaml'))
  return join(cwd, 'config/config.yaml')
}

const leavesOf = (
  { commands }: CommandUnknownOpts,
  path = '',
): readonly [string, CommandUnknownOpts][] =>
  commands.flatMap((each) =>
    each.commands.length > 0
      ? leavesOf(each, `${path}${each.name()} `)
      : [[`${path}${each.name()}`, each]],
  )
const io = {
  stdin: Readable.from([]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '.',
}
const LEAVES = leavesOf(await hvProgram(ioOf(io)))

describe('every command', () => {
  test.each(LEAVES)(
    'hv %s --help has examples and exit codes, and does nothing',
    async (name, command) => {
      const { code, out, err } = await hv([...name.split(' '), '--help'])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toMatch(new RegExp(`^Usage: hv ${name}`))
      const examples = /^Examples:\n((?: {2}.+\n)+)/m.exec(out)![1]!
      expect(examples).toContain(`hv ${name}`)
      for (const [, option] of examples.matchAll(/ (--[a-z-]+)/g))
        expect(command.options.map(({ long }) => long)).toContain(option)
      expect(out).toMatch(/^Exit codes: 0 done; 1 .+; 2 usage error\.$/m)
    },
  )

  test.each(LEAVES)(
    'hv %s names the nearest option for one that is unknown',
    async (name, command) => {
      const { long } = command.options[0]!
      const { code, out, err } = await hv([...name.split(' '), `${long!.slice(0, -1)}x`])
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(`(Did you mean ${long}?)`)
      expect(err).toContain(`More: hv ${name} --help`)
    },
  )

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

  test('hv alone, hv --help and hv help list them all; an unknown command gets the nearest as a suggestion', async () => {
    for (const line of [[], ['--help'], ['help']]) {
      const { code, out } = await hv(line)
      expect(code).toBe(0)
      for (const [name] of LEAVES) expect(out).toContain(`\n  ${name.split(' ')[0]} `)
    }
    const wrong = await hv(['chek'])
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('(Did you mean check?)')])
  })

  test('prints nothing that moves a cursor, whatever the input contains', async () => {
    const { err } = await hv(['check', '--config', 'a\u001b[2J\u202e.yaml'])
    expect(err).toContain(String.raw`a\u001b[2J\u202e.yaml`)
    for (const char of ['\u001b', '\u202e']) expect(err).not.toContain(char)
  })
})

const SITE = 'hv_site_demopx-kFQkgnI3lniO4'
const OTHER = 'hv_site_anothershop'
const numbers = { model: 1, base: 0, score: 0.5, threshold: 0.5, units: 1 }
const decision = { ...numbers, contributions: [], reasons: [], weights: 'unknown' }
// A command that needs nothing has no line.
const LINES: Readonly<Record<string, { args?: readonly string[]; input?: string; code?: number }>> =
  {
    'site add': { args: ['--hostname', 'new.example.com'] },
    'site rotate': { args: [OTHER] },
    'site remove': { args: [OTHER] },
    keygen: { args: ['--keyring', 'keyring.json'] },
    explain: { input: JSON.stringify({ decision }) },
    'rules test': { args: ['--site', SITE] },
    'pass issue': { args: ['--site', SITE, '--url', 'http://localhost/', '--action', 'sign-up'] },
  }
// A service has to run for these: test/world/doctor/url.test.ts, test/world/cli/programs.test.ts.
const ELSEWHERE = new Set(['doctor', 'test-server'])
const having = LEAVES.filter(([, { options }]) =>
  options.some(({ long }) => long === '--json'),
).map(([name]) => name)
test.each(having.filter((name) => !ELSEWHERE.has(name)))(
  'hv %s --json prints one JSON value, and nothing else on standard output',
  async (name) => {
    const { args = [], input, code = 0 } = LINES[name] ?? {}
    const file = configured()
    const other = `  - {sitekey: ${OTHER}, hostnames: [other.example.com], secrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]}\n`
    writeFileSync(file, `${readFileSync(file, 'utf8')}${other}`)
    if (name === 'pass issue') await hv(['pass', 'keygen'])
    const ran = await hv([...name.split(' '), ...args, '--json'], {}, input)
    expect(ran).toMatchObject({ code })
    expect(typeof JSON.parse(ran.out)).toBe('object')
  },
)

describe('hv check', () => {
  test('a good file is fine', async () => {
    configured()
    const out = 'config/config.yaml: fine; 1 site, the embedded ledger\n'
    expect(await hv(['check'])).toEqual({ code: 0, out, err: '' })
  })

  test('prints what each origin of an app means', async () => {
    const file = configured()
    const origins = [
      'capacitor://localhost',
      'chrome-extension://abcdefghijklmnop',
      'moz-extension://0-1',
    ]
    const text = readFileSync(file, 'utf8').replace(
      /^( +)hostnames:/m,
      `$1app_origins: ${JSON.stringify(origins)}\n$&`,
    )
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

  test('warns of an action without a touch whose threshold refuses all visitors', async () => {
    const file = configured()
    const actions = '[silent-check, {name: on-load, score_threshold: 0.48}, log-in]'
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/^( +)actions: .*$/m, `$1actions: ${actions}`),
    )
    const { notes } = JSON.parse((await hv(['check', '--json'])).out) as { notes: string[] }
    expect(notes).toEqual([
      expect.stringContaining('the threshold of silent-check is 0.5: every visitor is refused'),
    ])
  })

  test.each([
    ['2026-11-26T12:00:00Z', /Demonstration: the last secret expires in 5 days: hv site rotate/],
    ['2026-11-20T12:00:00Z', /Demonstration: all secrets have expired: hv site rotate/],
    ['2026-12-26T12:00:00Z', /^$/],
  ])('says when the last secret of a site ends at %s', async (end, note) => {
    const file = configured()
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/^( +)- sha256: .*$/m, `$&\n$1  not_after: ${end}`),
    )
    const { notes } = JSON.parse((await hv(['check', '--json'])).out) as { notes: string[] }
    expect(notes.join('\n')).toMatch(note)
  })

  test.each([
    ['check --config plain/x.yaml', /^plain\/x\.yaml: 1 error.*\n.*cannot be read: .*ENOTDIR/],
    ['keygen --keyring plain/keys/k.json', /plain\/keys: cannot be written: .*ENOTDIR/],
  ])('a path that leads nowhere is no defect of hv: hv %s', async (line, says) => {
    writeFileSync(join(cwd, 'plain'), '')
    const { code, err } = await hv(line.split(' '))
    expect(code).toBe(1)
    expect(err).toMatch(says)
  })
})

// A bug: in an empty folder the first command of a newcomer said "cannot be written: the system says ENOENT".
test.each(['site add --hostname localhost', 'keygen --keyring config/keyring.json'])(
  'hv %s makes the folder of its file',
  async (line) => {
    rmSync(join(cwd, 'config'), { recursive: true })
    expect((await hv(line.split(' '))).code).toBe(0)
    expect(readdirSync(join(cwd, 'config'))).toHaveLength(1)
  },
)

describe('hv keygen', () => {
  test('makes a keyring readable by its owner alone, then puts newer keys in front', async () => {
    const first = await hv(['keygen', '--keyring', 'keyring.json'])
    const second = await hv(['keygen', '--active-in', '10m'], { HV_KEYRING: 'keyring.json' })
    expect([first.code, second.code]).toEqual([0, 0])
    const path = join(cwd, 'keyring.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { keys } = JSON.parse(readFileSync(path, 'utf8')) as { keys: Jwk[] }
    expect(keys.map(({ nbf }) => nbf)).toEqual([NOW + 600, NOW])
    expect([first.out, second.out].map((out) => out.includes('keyring.json: new keyring'))).toEqual(
      [true, false],
    )
    expect(first.out).toContain(keys[1]!.kid)
    expect(second.out).toContain(keys[0]!.kid)
    for (const { k } of keys)
      expect(first.out + first.err + second.out + second.err).not.toContain(k)
  })

  test("uses the configuration's keyring, which is relative to the file", async () => {
    const file = configured()
    writeFileSync(file, `${readFileSync(file, 'utf8')}keyring: keys.json\n`)
    expect((await hv(['keygen'])).code).toBe(0)
    expect(statSync(join(cwd, 'config/keys.json')).size).toBeGreaterThan(100)
  })

  test('warns if no keyring is named', async () => {
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

/** docs/design/threats.md#t28 */
describe('retire', () => {
  test('keeps a key for the longest challenge, the longest token and 5 minutes', () => {
    expect(OPENS_FOR).toBe(60 * 60 + 10 * 60 + 5 * 60)
  })

  // Ages, in seconds.
  test.each([
    { retired: [], when: 'it is alone, however old', keys: [999_999] },
    { retired: [], when: 'a newer one is not active yet', keys: [-600, 999_999] },
    { retired: [], when: 'a newer one has just become active', keys: [0, 999_999] },
    {
      retired: [],
      when: 'a newer one is active for a second less',
      keys: [OPENS_FOR - 1, 999_999],
    },
    { retired: [], when: 'it is as old as another', keys: [999_999, 999_999] },
    { retired: [999_999], when: 'the newer one is active for so long', keys: [OPENS_FOR, 999_999] },
    {
      retired: [50_000, 999_999],
      when: 'several newer ones are',
      keys: [0, 9000, 50_000, 999_999],
    },
    { retired: [999_999], when: 'the file has another order', keys: [999_999, 9000] },
  ])('retires $retired of $keys: $when', ({ keys, retired }) => {
    const all = keys.map((age) => newKey(unixSeconds(NOW - age)))
    const { live, retired: gone } = retire(all, NOW)
    expect(gone.map(({ nbf }) => NOW - nbf)).toEqual(retired)
    expect(live).toEqual(all.filter((key) => !gone.includes(key)))
  })
})
