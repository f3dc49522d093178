/** The configuration as a folder: `config.yaml`, and a file for each site. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { configFile, loadConfig } from '../../../src/settings/load.ts'
import { ConfigError, formatReport } from '../../../src/settings/problem.ts'

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'hv-folder-'))
  mkdirSync(join(cwd, 'config/sites'), { recursive: true })
})
afterEach(() => rmSync(cwd, { recursive: true }))

const hash = (text: string): string => createHash('sha256').update(`fixture ${text}`).digest('hex')
const site = (name: string, change = ''): string =>
  `# ${name}\nsitekey: hv_site_${name}\nsecrets: [{sha256: ${hash(name)}}]\nhostnames: [${name}.example.com]\n${change}`
const write = (file: string, text: string): void => writeFileSync(join(cwd, 'config', file), text)
const load = (file = 'config') => loadConfig(file, {}, cwd)

function refusal(): string {
  try {
    load()
  } catch (error) {
    if (error instanceof ConfigError) return formatReport(error)
    throw error
  }
  throw new Error('was not refused')
}

describe('a folder', () => {
  test('is config.yaml, then its sites by file name, then nothing else', () => {
    write(
      'config.yaml',
      `version: 1\nlisten: 127.0.0.1:9000\nsites:\n  - {sitekey: hv_site_ownownown, secrets: [{sha256: ${hash('own')}}], hostnames: [own.example.com]}\n`,
    )
    write('sites/b.yaml', site('bbbbbbbb'))
    write('sites/a.yml', site('aaaaaaaa'))
    write('sites/notes.txt', 'not a site')
    write('sites/.b.yaml.hv-edit', 'half of a si')
    const { sites, listen, folder, file } = load()
    expect(sites.map(({ sitekey }) => sitekey)).toEqual(['hv_site_ownownown', 'hv_site_aaaaaaaa', 'hv_site_bbbbbbbb'])
    expect(listen.port).toBe(9000)
    expect({ folder, file }).toEqual({ folder: join(cwd, 'config'), file: 'config/config.yaml' })
  })

  test('relative paths start at it', () => {
    write('config.yaml', 'version: 1\nkeyring: keys.json\n')
    write('sites/a.yaml', site('aaaaaaaa'))
    expect(load().keyring).toBe(join(cwd, 'config/keys.json'))
  })

  test('is the default once it has sites; a file that is named is that file alone', () => {
    write(
      'config.yaml',
      `version: 1\nsites: [{sitekey: hv_site_ownownown, secrets: [{sha256: ${hash('own')}}], hostnames: [own.example.com]}]\n`,
    )
    write('sites/a.yaml', site('aaaaaaaa'))
    expect(load(configFile(undefined, {})).sites).toHaveLength(2)
    expect(load('./config/config.yaml').sites).toHaveLength(1)
    rmSync(join(cwd, 'config/sites'), { recursive: true })
    expect(load(configFile(undefined, {})).sites).toHaveLength(1)
  })

  test('may hold links, as Kubernetes mounts a ConfigMap', () => {
    mkdirSync(join(cwd, 'config/sites/..2026'))
    write('sites/..2026/a.yaml', site('aaaaaaaa'))
    symlinkSync('..2026', join(cwd, 'config/sites/..data'))
    symlinkSync('..data/a.yaml', join(cwd, 'config/sites/a.yaml'))
    write('config.yaml', 'version: 1\n')
    expect(load().sites).toHaveLength(1)
  })
})

describe('a problem', () => {
  test('names its file, line and column, in every file at once; a duplicate names both', () => {
    write('config.yaml', 'version: 2\n')
    write('sites/a.yaml', site('aaaaaaaa', 'score_threshold: 50\n'))
    write(
      'sites/b.yaml',
      site('bbbbbbbb').replace('bbbbbbbb', 'aaaaaaaa').replace('hv_site_bbbbbbbb', 'hv_site_aaaaaaaa'),
    )
    write('sites/c.yaml', site('cccccccc').replace(hash('cccccccc'), hash('bbbbbbbb')))
    write('sites/d.yaml', 'sitekey: "hv_site_dddddddd\n')
    write('sites/e.yaml', '- a list\n')
    expect(refusal()).toBe(`config: 6 errors, nothing was started
  config/config.yaml:1:10   version            expected 1, got 2
  config/sites/a.yaml:5:18  score_threshold    expected a number from 0 to 1, got 50 (did you mean 0.5?)
  config/sites/b.yaml:2:10  sitekey            is the same as sitekey of config/sites/a.yaml (each sitekey belongs to one place)
  config/sites/c.yaml:3:20  secrets[0].sha256  is the same as secrets[0].sha256 of config/sites/b.yaml (each secret belongs to one place)
  config/sites/d.yaml:1:10  YAML               opens a quote that is never closed
  config/sites/e.yaml:1:1   file               expected a site: sitekey, secrets, hostnames, and its policy, got a list`)
  })

  test.each([
    [
      'without config.yaml',
      () => write('sites/a.yaml', site('aaaaaaaa')),
      /config\/config\.yaml +file +cannot be read/,
    ],
    ['without a site', () => write('config.yaml', 'version: 1\n'), /sites +expected at least one site/],
    [
      'with a site that is a folder',
      () => {
        write('config.yaml', 'version: 1\n')
        mkdirSync(join(cwd, 'config/sites/a.yaml'))
      },
      /config\/sites\/a\.yaml +file +cannot be read: it is a folder/,
    ],
    [
      'with a site that is a whole configuration',
      () => {
        write('config.yaml', 'version: 1\n')
        write('sites/a.yaml', 'version: 1\nsites: []\n')
      },
      /config\/sites\/a\.yaml:1:1 +version +is unknown/,
    ],
  ])('%s it is refused', (_what, prepare, says) => {
    prepare()
    expect(refusal()).toMatch(says)
  })
})
