/** `hv site …` on a folder, on many sites, and by several people at once: the program that is shipped. */
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { loadConfig } from '../../../src/settings/load.ts'

const PROGRAM = join(import.meta.dirname, '../../../dist/main.js')
let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'hv-sites-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

function hv(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd,
    input,
    encoding: 'utf8',
    timeout: 60_000,
    env: { PATH: process.env['PATH'] },
  })
  return { code: status, out: stdout, err: stderr }
}
interface Added {
  readonly sitekey: string
  readonly secret: string
  readonly hostnames: readonly string[]
  readonly file: string
}
const add = (...args: string[]): Added => {
  const { out, code, err } = hv(['site', 'add', ...args, '--json'])
  expect({ code, err }).toMatchObject({ code: 0 })
  return JSON.parse(out) as Added
}
const sitesOf = (config: string) => loadConfig(config, {}, cwd).sites
const files = (): string[] => readdirSync(join(cwd, 'conf/sites')).sort()

describe('a folder', () => {
  test('is made; each site has a file named for its first hostname, that people can read and edit', () => {
    const named = ['--action', 'sign-up', '--name', 'Shop: "best"']
    const one = add('--hostname', 'shop.example.com', ...named, '--config', 'conf/')
    const two = add('--hostname', 'shop.example.com', '--config', 'conf')
    add('--hostname', '*.blog.example.com', '--config', 'conf')
    add('--hostname', '[::1]', '--config', 'conf')
    expect(files()).toEqual(
      [
        '1.yaml',
        'any.blog.example.com.yaml',
        'shop.example.com.yaml',
        `shop.example.com_${two.sitekey.slice(8)}.yaml`,
      ].sort(),
    )
    expect(one.file).toBe('conf/sites/shop.example.com.yaml')
    expect(readFileSync(join(cwd, one.file), 'utf8')).toBe(`sitekey: ${one.sitekey}
name: 'Shop: "best"'
secrets:
  - sha256: ${createHash('sha256').update(one.secret).digest('hex')}
hostnames:
  - shop.example.com
actions:
  - sign-up
step_up: managed
`)
    expect(hv(['check', '--config', 'conf']).out).toBe('conf: fine; 4 sites, the embedded ledger\n')
  })
})

describe('many at once', () => {
  const LIST = '# customers\nshop.example.com *.shop.example.com\n\nblog.example.com\n'

  test.each(['conf/', 'one.yaml'])('a list of hostnames on standard input becomes sites of %s', (config) => {
    const { code, out } = hv(['site', 'add', '--from', '-', '--action', 'sign-up', '--config', config], LIST)
    expect(code).toBe(0)
    const lines = out
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
    expect(lines.map(([, , ...hostnames]) => hostnames)).toEqual([
      ['shop.example.com', '*.shop.example.com'],
      ['blog.example.com'],
    ])
    const sites = sitesOf(config)
    expect(sites).toHaveLength(2)
    for (const [sitekey, secret] of lines) {
      const { secrets, actions } = sites.find((each) => each.sitekey === sitekey)!
      expect(secrets[0]!.sha256).toBe(createHash('sha256').update(secret!).digest('hex'))
      expect(actions).toEqual(['sign-up'])
    }
  })

  test.each([
    ['a hostname that is none', 'a.example\nhttps://b.example/\n', /site 2 of the list: expected a hostname/],
    ['nothing', '# nobody\n', /expected at least one line/],
  ])('%s: nothing is written', (_what, list, says) => {
    const { code, out, err } = hv(['site', 'add', '--from', '-', '--config', 'conf/'], list)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(says)
    expect(existsSync(join(cwd, 'conf'))).toBe(false)
  })
})

describe('several people at once', () => {
  test.each(['conf/', 'one.yaml'])(
    'every edit of %s that says it was done was done; the others say try again',
    async (config) => {
      const first = add('--hostname', 'first.example', '--config', config)
      const run = promisify(execFile)
      const edits = Array.from({ length: 6 }, (_, i) =>
        i === 5
          ? ['site', 'rotate', first.sitekey, '--config', config, '--json']
          : ['site', 'add', '--hostname', `shop${i}.example`, '--config', config, '--json'],
      )
      const outcomes = await Promise.allSettled(edits.map((args) => run(process.execPath, [PROGRAM, ...args], { cwd })))
      const hashes = new Set(sitesOf(config).flatMap(({ secrets }) => secrets.map(({ sha256 }) => sha256)))
      const done = outcomes.flatMap((each) =>
        each.status === 'fulfilled' ? [JSON.parse(each.value.stdout) as Added] : [],
      )
      const refusals = outcomes.flatMap((each) =>
        each.status === 'rejected' ? [(each.reason as { stderr: string }).stderr] : [],
      )
      for (const refusal of refusals) expect(refusal).toContain('another edit is running')
      for (const { secret } of done) expect(hashes).toContain(createHash('sha256').update(secret).digest('hex'))
      expect(done.length).toBeGreaterThan(0)
      expect(hashes.size).toBe(1 + done.length)
      expect(readdirSync(cwd, { recursive: true }).filter((name) => String(name).includes('hv-edit'))).toEqual([])
    },
  )
})
