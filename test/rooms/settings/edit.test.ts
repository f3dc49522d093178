import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import { EditError, replaceFile, writeNewSites, writeRemoval, writeSecret } from '../../../src/settings/edit.ts'
import { loadConfig } from '../../../src/settings/load.ts'
import { ConfigError } from '../../../src/settings/problem.ts'
import { hashSecret } from '../../../src/settings/secrets.ts'

const [A, B, NEW] = ['fixture a', 'fixture b', 'fixture new'].map(hashSecret)
const UNTIL = unixSeconds(Date.UTC(2037, 5, 1) / 1000)
const added = { sitekey: 'hv_site_addedsite', secrets: [{ sha256: NEW }], hostnames: ['a.example', '*.a.example'] }

const hand = `# top comment
version: 1 # the format

listen: '127.0.0.1:8080'
sites:
  # the shop
  - sitekey: hv_site_fixture1 # public
    secrets:
      - sha256: ${A} # from spring
        not_after: 2037-01-01T00:00:00Z # soon
      - sha256: ${B} # from autumn
    hostnames: [shop.example.com, '*.shop.example.com']
    work: { level: 3 }
    # a comment that ends the shop
# bottom comment
trusted_proxies: []
`

let folder = ''
const target = () => ({ file: 'config.yaml', env: {}, cwd: folder })
const file = (): string => join(folder, 'config.yaml')
const text = (): string => readFileSync(file(), 'utf8')
const sites = () => loadConfig('config.yaml', {}, folder).sites
const comments = (of: string): string[] => of.match(/#.*/g)?.map((each) => each.trim()) ?? []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hv-edit-'))
  writeFileSync(file(), hand)
})
afterEach(() => {
  expect(readdirSync(folder).filter((name) => name.endsWith('.hv-edit'))).toEqual([])
  rmSync(folder, { recursive: true })
})

describe('adding a site', () => {
  test('keeps every comment and the order', () => {
    expect(writeNewSites(target(), [added])).toEqual(['config.yaml'])
    expect(comments(text())).toEqual(comments(hand))
    expect(sites().map(({ sitekey }) => sitekey)).toEqual(['hv_site_fixture1', 'hv_site_addedsite'])
  })

  test.each([
    { when: 'there is no site yet', before: 'version: 1\nsites: []\n', count: 1 },
    { when: 'the list is missing', before: 'version: 1\n', count: 1 },
    { when: 'the list is left empty', before: 'version: 1\nsites:\n', count: 1 },
    { when: 'nothing ends the last line', before: hand.trimEnd(), count: 2 },
    { when: 'lines end as on Windows', before: hand.replaceAll('\n', '\r\n'), count: 2 },
    {
      when: 'the list is in brackets',
      before: `version: 1\nsites: [{sitekey: hv_site_fixture1, secrets: [{sha256: ${A}}], hostnames: [a.example]}] # all\n`,
      count: 2,
    },
    {
      when: 'the dash stands alone',
      before: `version: 1\nsites:\n  -\n    # a - b\n    sitekey: hv_site_fixture1\n    secrets: [{sha256: ${A}}]\n    hostnames: [a.example]\n`,
      count: 2,
    },
  ])('leaves a file that loads when $when', ({ before, count }) => {
    writeFileSync(file(), before)
    writeNewSites(target(), [added])
    expect(sites()).toHaveLength(count)
    expect(comments(text())).toEqual(comments(before))
    expect(/(?<!\r)\n/.test(text())).toBe(!before.includes('\r\n'))
  })

  test('makes the file, or in a folder a file of its own', () => {
    rmSync(file())
    writeNewSites(target(), [added])
    expect(sites()).toHaveLength(1)
    const place = { ...target(), file: 'many/' }
    expect(writeNewSites(place, [added, { ...added, sitekey: 'hv_site_another1', secrets: [{ sha256: A }] }])).toEqual([
      'many/sites/a.example.yaml',
      'many/sites/a.example_another1.yaml',
    ])
    expect(loadConfig('many', {}, folder).sites).toHaveLength(2)
  })

  test('changes nothing when the result would not load', () => {
    expect(() => writeNewSites(target(), [{ ...added, hostnames: [] }])).toThrow(ConfigError)
    writeFileSync(file(), `${hand}zebra: 1\n`)
    expect(() => writeNewSites(target(), [added])).toThrow(ConfigError)
    expect(text()).toBe(`${hand}zebra: 1\n`)
  })
})

describe('adding a secret', () => {
  test('gives the others an end, unless theirs is earlier', () => {
    expect(writeSecret(target(), 'hv_site_fixture1', NEW!, UNTIL)).toBe('config.yaml')
    expect(sites()[0]!.secrets).toEqual([
      { sha256: A, notAfter: Date.UTC(2037, 0, 1) / 1000 },
      { sha256: B, notAfter: UNTIL },
      { sha256: NEW },
    ])
    expect(comments(text())).toEqual(comments(hand))
  })

  test('is refused for a site that is not there, and for a ninth', () => {
    expect(() => writeSecret(target(), 'hv_site_nobody12', NEW!, UNTIL)).toThrow(EditError)
    const secrets = Array.from({ length: 8 }, (_, i) => `{sha256: ${hashSecret(`eight ${i}`)}}`).join(', ')
    const full = `version: 1\nsites: [{sitekey: hv_site_fixture1, secrets: [${secrets}], hostnames: [a.example]}]\n`
    writeFileSync(file(), full)
    expect(() => writeSecret(target(), 'hv_site_fixture1', NEW!, UNTIL)).toThrow(ConfigError)
    expect(text()).toBe(full)
  })
})

test('a removal takes the site of a list, or the file of a folder, and never the last one', () => {
  writeNewSites(target(), [added])
  expect(writeRemoval(target(), 'hv_site_addedsite')).toBe('config.yaml')
  expect(sites().map(({ sitekey }) => sitekey)).toEqual(['hv_site_fixture1'])
  expect(() => writeRemoval(target(), 'hv_site_fixture1')).toThrow(ConfigError)
  const place = { ...target(), file: 'many/' }
  writeNewSites(place, [added, { ...added, sitekey: 'hv_site_another1', secrets: [{ sha256: A }] }])
  expect(writeRemoval(place, 'hv_site_addedsite')).toBe('many/sites/a.example.yaml')
  expect(readdirSync(join(folder, 'many/sites'))).toEqual(['a.example_another1.yaml'])
})

describe('a file', () => {
  test('keeps its mode, and a link stays one', () => {
    chmodSync(file(), 0o640)
    mkdirSync(join(folder, 'links'))
    symlinkSync(file(), join(folder, 'links/config.yaml'))
    writeNewSites({ ...target(), file: 'links/config.yaml' }, [added])
    expect(statSync(file()).mode & 0o777).toBe(0o640)
    expect(sites()).toHaveLength(2)
  })

  test('is edited by one at a time, and stays as it was when the change throws', () => {
    replaceFile(file(), 0o600, () => {
      expect(() => replaceFile(file(), 0o600, () => 'second')).toThrow(/another edit is running/)
      return hand
    })
    const change = (): string => {
      throw new Error('no')
    }
    expect(() => replaceFile(file(), 0o600, change)).toThrow('no')
    expect(text()).toBe(hand)
  })
})
