/** `hv site …`: edits of a configuration, be it a file or a folder. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { unixSeconds } from '../../../src/domain/words.ts'
import { thresholdsOf } from '../../../src/domain/site.ts'
import { loadConfig } from '../../../src/settings/load.ts'
import { hashSecret } from '../../../src/settings/secrets.ts'
import { newFolder } from '../../support/close-later.ts'
import { hv } from '../../support/hv.ts'

const NOW = unixSeconds(Date.UTC(2026, 10, 21, 12) / 1000)
const SITE = 'hv_site_fixture1'
const [A, B] = ['fixture a', 'fixture b'].map(hashSecret)
const hand = `# top comment
version: 1 # the format

listen: '127.0.0.1:8080'
sites:
  # the shop
  - sitekey: ${SITE} # public
    secrets:
      - sha256: ${A} # from spring
        not_after: 2026-12-01T00:00:00Z # soon
      - sha256: ${B} # from autumn
    hostnames: [shop.example.com, '*.shop.example.com']
    work: { level: 3 }
    # a comment that ends the shop
# bottom comment
trusted_proxies: []
`

let cwd = ''
const file = (): string => join(cwd, 'config.yaml')
const text = (): string => readFileSync(file(), 'utf8')
const sites = (config = 'config.yaml') => loadConfig(config, {}, cwd).sites
const files = (): string[] => readdirSync(join(cwd, 'conf/sites')).sort()
const comments = (of: string): string[] => of.match(/#.*/g)?.map((each) => each.trim()) ?? []
const edit = (line: string, config = 'config.yaml', input = '') =>
  hv(['site', ...line.split(' '), '--config', config], { cwd, now: NOW, input })
/** What was printed once: sitekey and secret. */
const printed = (out: string) => ({
  sitekey: /^sitekey: +(\S+)$/m.exec(out)![1]!,
  sha256: hashSecret(/^secret: +(\S+)$/m.exec(out)![1]!),
})
beforeEach(() => {
  cwd = newFolder()
  writeFileSync(file(), hand)
})
afterEach(() =>
  expect(
    readdirSync(cwd, { recursive: true }).filter((name) => String(name).endsWith('.hv-edit')),
  ).toEqual([]),
)

describe('hv site add', () => {
  test('adds a site with the printed secret to the file, and keeps comments and order', async () => {
    const { code, out } = await edit(
      'add --hostname a.example --hostname *.a.example --action a --action b --name "A"',
    )
    expect(code).toBe(0)
    expect(out).toMatch(/^sitekey: hv_site_[\w-]{22}\nsecret: {2}hv_secret_[\w-]{43}\n$/)
    const { sitekey, sha256 } = printed(out)
    expect(comments(text())).toEqual(comments(hand))
    expect(text()).not.toContain('hv_secret')
    const named = { name: '"A"', hostnames: ['a.example', '*.a.example'], actions: ['a', 'b'] }
    expect(sites()).toMatchObject([
      { sitekey: SITE },
      { sitekey, secrets: [{ sha256 }], ...named, stepUp: 'managed' },
    ])
  })

  test('gives an action its own threshold', async () => {
    await edit('add --hostname a.example --action sign-up --action silent-check:0.45')
    const added = sites()[1]!
    expect(added).toMatchObject({ actions: ['sign-up', 'silent-check'], scoreThreshold: 0.5 })
    expect(
      ['sign-up', 'silent-check'].map((action) => thresholdsOf(added, action).scoreThreshold),
    ).toEqual([0.5, 0.45])
  })
  test.each(['x:1.5', 'x:', 'x:0.45:1', ':0.4'])('refuses --action %s', async (action) => {
    expect(await edit(`add --hostname a.example --action ${action}`)).toMatchObject({
      code: 2,
      out: '',
    })
  })

  const OWN = [`sitekey: ${SITE}`, `secrets: [{sha256: ${A}}]`, 'hostnames: [a.example]']
  test.each([
    { when: 'there is no site yet', before: 'version: 1\nsites: []\n', count: 1 },
    { when: 'the list is missing', before: 'version: 1\n', count: 1 },
    { when: 'the list is left empty', before: 'version: 1\nsites:\n', count: 1 },
    { when: 'nothing ends the last line', before: hand.trimEnd(), count: 2 },
    { when: 'lines end as on Windows', before: hand.replaceAll('\n', '\r\n'), count: 2 },
    {
      when: 'the list is in brackets',
      before: `version: 1\nsites: [{${OWN.join(', ')}}] # all\n`,
      count: 2,
    },
    {
      when: 'the dash stands alone',
      before: `version: 1\nsites:\n  -\n    # a - b\n    ${OWN.join('\n    ')}\n`,
      count: 2,
    },
  ])('leaves a file that loads when $when', async ({ before, count }) => {
    writeFileSync(file(), before)
    await edit('add --hostname a.example')
    expect(sites()).toHaveLength(count)
    expect(comments(text())).toEqual(comments(before))
    expect(/(?<!\r)\n/.test(text())).toBe(!before.includes('\r\n'))
  })

  test('gives each site of a folder a file that people can read and edit', async () => {
    const { sitekey, sha256 } = printed(
      (await edit('add --hostname shop.example --action sign-up', 'conf/')).out,
    )
    expect(readFileSync(join(cwd, 'conf/sites/shop.example.yaml'), 'utf8'))
      .toBe(`sitekey: ${sitekey}
secrets:
  - sha256: ${sha256}
hostnames:
  - shop.example
actions:
  - sign-up
step_up: managed
`)
    for (const hostname of ['*.blog.example', '[::1]'])
      await edit(`add --hostname ${hostname}`, 'conf')
    const again = printed((await edit('add --hostname shop.example', 'conf')).out).sitekey.replace(
      'hv_site_',
      '',
    )
    expect(files()).toEqual(
      ['1.yaml', 'any.blog.example.yaml', 'shop.example.yaml', `shop.example_${again}.yaml`].sort(),
    )
    expect(sites('conf')).toHaveLength(4)
  })

  test.each(['conf/', 'one.yaml'])(
    'makes %s, with the sites of a list on standard input',
    async (config) => {
      const list = '# customers\nshop.example.com *.shop.example.com\n\nblog.example.com\n'
      const rows = (await edit('add --from -', config, list)).out.trim().split('\n')
      expect(rows).toHaveLength(2)
      for (const [sitekey, secret, ...hostnames] of rows.map((line) => line.split(' ')))
        expect(sites(config)).toContainEqual(
          expect.objectContaining({
            sitekey,
            hostnames,
            secrets: [{ sha256: hashSecret(secret!) }],
          }),
        )
    },
  )

  test.each([
    [
      'a hostname that is none',
      'a.example\nhttps://b.example/\n',
      /site 2 of the list: expected a hostname/,
    ],
    ['nothing', '# nobody\n', /expected at least one line/],
  ])('writes nothing from a list with %s', async (_what, list, says) => {
    expect(await edit('add --from -', 'conf/', list)).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(says),
    })
    expect(readdirSync(cwd)).toEqual(['config.yaml'])
  })

  test('adds nothing to a file that would not load afterwards', async () => {
    writeFileSync(file(), `${hand}zebra: 1\n`)
    const err = expect.stringContaining('1 error, nothing was changed')
    expect(await edit('add --hostname a.example')).toEqual({ code: 1, out: '', err })
    expect(text()).toBe(`${hand}zebra: 1\n`)
  })

  test('keeps the mode of the file, and a link remains a link', async () => {
    chmodSync(file(), 0o640)
    mkdirSync(join(cwd, 'links'))
    symlinkSync(file(), join(cwd, 'links/config.yaml'))
    await edit('add --hostname a.example', 'links/config.yaml')
    expect(statSync(file()).mode & 0o777).toBe(0o640)
    expect(sites()).toHaveLength(2)
  })

  // Several at once: test/world/cli/sites.test.ts.
  test('is refused while another edit runs, with what to do if that was interrupted', async () => {
    const lock = join(cwd, '.config.yaml.hv-edit')
    writeFileSync(lock, '')
    const { code, err } = await edit('add --hostname a.example')
    expect(code).toBe(1)
    expect(err).toContain(`another edit is running; if none is, it was interrupted: delete ${lock}`)
    expect(text()).toBe(hand)
    rmSync(lock)
  })
})

describe('hv site rotate', () => {
  test.each([
    ['', 7200],
    [' --overlap 0s', 0],
    [' --overlap 30d', 30 * 86_400],
  ])(
    '%s: another secret, and the others end after the overlap, unless theirs is earlier',
    async (more, overlap) => {
      const { out } = await edit(`rotate ${SITE}${more}`)
      const until = NOW + overlap
      expect(sites()[0]!.secrets).toEqual([
        { sha256: A, notAfter: Math.min(until, Date.UTC(2026, 11, 1) / 1000) },
        { sha256: B, notAfter: until },
        { sha256: printed(out).sha256 },
      ])
      expect(comments(text())).toEqual(comments(hand))
    },
  )

  test('is refused for a site that is not there, and for a ninth secret', async () => {
    expect((await edit('rotate hv_site_nobody12')).err).toContain(
      'has no site hv_site_nobody12; hv site list names them',
    )
    const secrets = Array.from(
      { length: 8 },
      (_, i) => `{sha256: ${hashSecret(`eight ${i}`)}}`,
    ).join(', ')
    const full = `version: 1\nsites: [{sitekey: ${SITE}, secrets: [${secrets}], hostnames: [a.example]}]\n`
    writeFileSync(file(), full)
    expect((await edit(`rotate ${SITE}`)).code).toBe(1)
    expect(text()).toBe(full)
  })
})

test('hv site list names the sites, and neither secrets nor hashes', async () => {
  const { code, out } = await edit('list')
  expect([code, out]).toEqual([0, expect.stringMatching(/^SITEKEY +NAME +HOSTNAMES +SECRETS$/m)])
  const row =
    / shop\.example\.com +shop\.example\.com \*\.shop\.example\.com +2 live: until 2026-12-01T00:00:00Z, no end$/m
  expect(out).toMatch(row)
  expect(out).not.toMatch(/hv_secret|[0-9a-f]{64}/)
})

test('hv site remove takes the site of a list, or the file of a folder, and never the last one', async () => {
  const { sitekey } = printed((await edit('add --hostname a.example')).out)
  expect((await edit(`remove ${sitekey}`)).out).toBe(`removed ${sitekey} from config.yaml\n`)
  expect(sites().map((each) => each.sitekey)).toEqual([SITE])
  expect((await edit(`remove ${SITE}`)).code).toBe(1)
  expect(sites()).toHaveLength(1)
  const one = printed((await edit('add --hostname a.example', 'conf/')).out)
  await edit('add --hostname b.example', 'conf')
  expect((await edit(`remove ${one.sitekey}`, 'conf')).code).toBe(0)
  expect(files()).toEqual(['b.example.yaml'])
})
