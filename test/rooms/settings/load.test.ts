import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { configFile, loadConfig } from '../../../src/settings/load.ts'
import { DEMO_SECRET_SHA256 } from '../../../src/settings/secrets.ts'
import type { JsonSchema } from '../../../src/schema/json-schema.ts'
import { CONFIG, SITE } from '../../../src/settings/table.ts'
import { RULES } from '../../../src/score/rules.ts'
import { RELEASED } from '../../../src/score/weight-changes.ts'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { OUTCOMES } from '../../../src/demo/test-server.ts'
import { newFolder } from '../../support/close-later.ts'
import { check, HASH, linesOf, minimal, refusal } from './refusal.ts'

const node = (host: string, port: number) => ({ host, port })

/** A working configuration, and its site; a line of the book adds one setting, or replaces it. */
const WHOLE = [
  'version: 1',
  'keyring: keys.json',
  'network: {lists: [{name: tor, kind: tor-exit, file: tor.txt}]}',
  'agents: [{name: chatgpt, ranges: chatgpt.txt}]',
]
const OWN = [
  'sitekey: hv_site_fixture1',
  `secrets: [{sha256: ${HASH}}]`,
  'hostnames: [example.com]',
  'actions: [sign-up]',
  'work: {max_level: 4}',
]

describe('a file that is refused', () => {
  const BAD = 'test/rooms/settings/bad'
  test.each(readdirSync(BAD).filter((name) => name.endsWith('.yaml')))(
    'bad/%s: every problem in its place',
    (name) => {
      const report = refusal(() => loadConfig(`${BAD}/${name}`, {}))
      expect(`${report}\n`).toBe(readFileSync(`${BAD}/${name.replace('.yaml', '.txt')}`, 'utf8'))
      expect(report).not.toMatch(/plaintext/i)
    },
  )

  const put = (lines: readonly string[], line: string) =>
    lines.filter((each) => !each.startsWith(`${line.split(':', 1)[0]}:`)).concat(line)
  const book = readFileSync(`${BAD}/settings.txt`, 'utf8').split(/\n(?! )/)
  const rows = book.filter((line) => /^[^#]/.test(line)).map((line) => line.trim().split(/\s+→ /))
  test.each(rows)('%s', (setting, ...says) => {
    const isOwn = setting.startsWith('- ')
    const own = isOwn ? put(OWN, setting.slice(2)) : OWN
    const lines = [
      ...(isOwn ? WHOLE : put(WHOLE, setting)),
      'sites:',
      '  -',
      ...own.map((line) => `    ${line}`),
    ]
    const [, ...problems] = linesOf(() => check(lines.join('\n')))
    expect(problems.map((line) => line.replace(/^ \d+:\d+ /, ''))).toEqual(says)
    expect(problems.join()).not.toMatch(/plaintext/i)
  })

  test('the secrets that hv test-server publishes protect nothing', () => {
    const secrets = OUTCOMES.map(({ secret }) => createHash('sha256').update(secret).digest('hex'))
    for (const sha256 of secrets)
      expect(refusal(() => check(minimal.replace(HASH, sha256)))).toMatch('easily guessed')
  })

  const group = 'file  expected a group of settings: version, sites, …, got'
  test.each([
    ['', `1:1  ${group} nothing (left empty)`],
    ['just text', `1:1  ${group} "just text"`],
    ['- a\n- b', `1:1  ${group} a list`],
    ['version: 1\nsites:\n\t- sitekey: x', '3:1  YAML  is indented with a tab (YAML takes spaces)'],
    [
      'version: 1\n---\nversion: 1',
      '2:1  YAML  starts a second document (---); one file is one configuration',
    ],
  ])('%j is none', (text, says) => {
    expect(refusal(() => check(text))).toBe(`test.yaml: 1 error, nothing was started\n  ${says}`)
  })
})

describe('files', () => {
  test('config/demo.yaml loads, with the published demonstration site', () => {
    const config = loadConfig('config/demo.yaml', {})
    expect(config).toMatchObject({ listen: { host: '127.0.0.1', port: 8080 } })
    expect(config.sites).toHaveLength(1)
    expect(config.sites[0]).toMatchObject({
      sitekey: DEMO_SITEKEY,
      hostnames: ['localhost', '127.0.0.1'],
    })
    expect(config.sites[0]?.secrets[0]?.sha256).toBe(
      createHash('sha256').update(DEMO_SECRET).digest('hex'),
    )
    expect(config.sites[0]?.secrets[0]?.sha256).toBe(DEMO_SECRET_SHA256)
    expect(DEMO_SECRET).toMatch(/^hv_secret_demo_[A-Za-z0-9_-]{43}$/)
  })

  test.each([
    ['config/config.example.yaml', './schema.json'],
    ['config/demo.yaml', './schema.json'],
    ['config/folder.example/config.yaml', '../schema.json'],
    ['config/folder.example/sites/shop.example.com.yaml', '../../site.schema.json'],
  ])('%s tells editors where its schema is', (file, schema) => {
    expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(
      `# yaml-language-server: $schema=${schema}`,
    )
    expect(JSON.parse(readFileSync(join(dirname(file), schema), 'utf8'))).toHaveProperty('$schema')
  })
})

describe('what is loaded', () => {
  test('a file that names only the required settings is one that spells out every default', () => {
    const spelled = (schema: JsonSchema): object =>
      Object.fromEntries(
        Object.entries(schema.properties ?? {}).flatMap(([name, setting]) =>
          setting.default === undefined
            ? []
            : [[name, setting.properties ? spelled(setting) : setting.default]],
        ),
      )
    const site = {
      sitekey: 'hv_site_fixture1',
      secrets: [{ sha256: HASH }],
      hostnames: ['example.com'],
    }
    const sites = [{ ...site, ...spelled(SITE as unknown as JsonSchema) }]
    const text = JSON.stringify({ ...spelled(CONFIG as unknown as JsonSchema), version: 1, sites })
    expect(text).toContain('"token_lifetime":"120s"')
    const config = check(minimal)
    // Two texts; all that is read from them is the same.
    expect(config).toEqual({ ...check(text), digest: config.digest })
    expect(config).toMatchObject({
      listen: { host: '127.0.0.1', port: 8080 },
      clientIpHeader: 'x-forwarded-for',
    })
    const work = { level: 3, maxLevel: 8, humanCost: 2, fallback: true }
    expect(config.sites[0]).toMatchObject({
      name: 'example.com',
      tokenLifetime: 120,
      work,
      weights: RELEASED,
    })
  })

  test('everything that can be set arrives', () => {
    const config = loadConfig('test/rooms/settings/good/many-settings.yaml', {})
    expect(config).toMatchObject({
      listen: { host: '::1', port: 0 },
      opsHosts: ['verify-ops.internal'],
      network: {
        mmdb: [resolve('test/rooms/settings/good/geo/country.mmdb'), '/srv/geo/asn.mmdb'],
        lists: [
          { name: 'tor', kind: 'tor-exit', file: resolve('test/rooms/settings/good/tor.txt') },
          { name: 'hosting-1', kind: 'data-centre', file: '/srv/hosting.txt' },
        ],
      },
      publicUrl: 'https://verify.example.com',
      tlsFingerprintHeader: 'x-ja4',
      clientIpHeader: 'cf-connecting-ip',
      keepAlive: 130,
      connectionsPerAddress: 1000,
      trustedProxies: ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::1/128', 'fd00::/8'],
      keyring: resolve('test/rooms/settings/good/keys/keyring.json'),
      redis: {
        sentinel: {
          name: 'primary',
          nodes: [node('10.0.0.5', 26_379), node('2001:db8::5', 26_379)],
        },
        keyPrefix: 'shop-1',
      },
      limits: { siteverify: { points: 100_000, per: 86_400 }, fallback: { points: 5, per: 120 } },
      logLevel: 'warn',
    })
    expect(config.sites[0]).toMatchObject({
      scoreThreshold: 1,
      tokenLifetime: 600,
      work: { level: 7.5, maxLevel: 8, humanCost: 60, fallback: false },
      shadowThreshold: 0.75,
      reasons: true,
      weights: {
        base: -0.5,
        bounds: { input: [-3, 2] },
        hash: expect.stringMatching(/^[0-9a-f]{8}$/),
      },
      rules: [
        {
          effect: { kind: 'adjust', score: 0, work: undefined },
          until: Date.UTC(2027, 0, 1) / 1000,
        },
        {
          name: 'named',
          effect: { kind: 'allow' },
          conditions: [{ says: 'agent is chatgpt or any' }],
        },
        { name: 'by-agent', effect: { kind: 'deny' }, until: undefined },
        { name: 'at-night', effect: { kind: 'adjust', score: -1.5, work: 8 } },
        { name: 'friends', effect: { kind: 'allow' } },
      ],
    })
    const weight = (site: number, name: string) =>
      config.sites[site]?.weights.byRule.get(RULES.find((rule) => rule.name === name)!.id)
    // The site's own changes on top of those for all, which the second site has alone.
    expect([0, 1].map((site) => weight(site, 'webdriver-true'))).toEqual([-6, -5])
    expect([weight(0, 'proof-wrong'), weight(0, 'headless-agent')]).toEqual([0, 0])
    expect(weight(1, 'headless-agent')).toBeLessThan(0)
    expect(config.sites[0]?.secrets[1]?.notAfter).toBe(Date.UTC(2027, 0, 1) / 1000)
    // An alias stands for the value of its anchor, here and in the last rule above.
    expect(config.sites[1]?.actions).toEqual(['contact-form', 'sign-up', 'a/b.c_D'])
    expect(config.sites[1]?.work).toEqual({ level: 7, maxLevel: 8, humanCost: 23, fallback: true })
  })

  test.each([
    {
      written: 'url: "rediss://hv:p%40ss@redis.internal:6380/2", ca: /etc/ssl/redis-ca.pem',
      redis: {
        url: 'rediss://hv:p%40ss@redis.internal:6380/2',
        tls: false,
        ca: '/etc/ssl/redis-ca.pem',
      },
    },
    {
      written:
        'sentinel: {name: a, nodes: ["a:1"]}, username: hv, password: "a password: with a colon", sentinel_username: watcher, sentinel_password: another one, tls: true, ca: tls/ca.pem',
      redis: {
        username: 'hv',
        password: 'a password: with a colon',
        sentinelUsername: 'watcher',
        sentinelPassword: 'another one',
        tls: true,
        ca: '/work/tls/ca.pem',
      },
    },
    {
      written:
        'sentinel: {name: a, nodes: ["a:1"]}, username: hv, password_file: secrets/redis, sentinel_password_file: /run/secrets/sentinel',
      redis: { passwordFile: '/work/secrets/redis', sentinelPasswordFile: '/run/secrets/sentinel' },
    },
    {
      written: 'cluster: ["a:1", "b:2"]',
      redis: { tls: false, cluster: [node('a', 1), node('b', 2)] },
    },
  ])('redis: {$written} says how Redis is reached', ({ written, redis }) => {
    const config = check(`${minimal}keyring: k\nredis: {${written}}\nledger: {partitions: 16}\n`)
    expect(config).toMatchObject({ redis, ledger: { partitions: 16 } })
  })

  test('the file to read is --config, else HV_CONFIG, else config/config.yaml', () => {
    expect(configFile('a.yaml', { HV_CONFIG: 'b.yaml' })).toBe('a.yaml')
    expect(configFile(undefined, { HV_CONFIG: 'b.yaml' })).toBe('b.yaml')
    expect(configFile(undefined, {})).toBe('config/config.yaml')
  })

  test.each([
    ['--config', '', { HV_CONFIG: 'b.yaml' }],
    ['HV_CONFIG', undefined, { HV_CONFIG: '' }],
    ['HV_CONFIG', undefined, { HV_CONFIG: ' ' }],
  ])('%s is not the working directory when it is empty', (where, option, env) => {
    const says = [
      `${where}: 1 error, nothing was started`,
      ` ${where} is empty: give a value, or unset it`,
    ]
    expect(linesOf(() => configFile(option, env))).toEqual(says)
  })
})

describe('the environment overrides the file', () => {
  const withRedis = `${minimal}keyring: keys.json\nredis: {cluster: ["a:1"], key_prefix: "x:"}\n`
  const file = `listen: nonsense\n${withRedis}`

  test.each([
    { url: 'rediss://redis.internal:6380/0', ca: '/work/ca.pem' },
    { url: 'redis://redis.internal:6380/0' },
  ])('of HV_REDIS_URL=$url, with no user of the file, and its ca only for TLS', (reached) => {
    const users =
      'username: hv, password: x, sentinel_password: y, tls: true, ca: ca.pem, key_prefix: "x:"'
    const sentinel = `${minimal}keyring: k\nredis: {sentinel: {name: a, nodes: ["a:1"]}, ${users}}\n`
    const { redis } = check(sentinel, { HV_REDIS_URL: reached.url })
    expect(redis).toEqual({ ...reached, tls: false, keyPrefix: 'x' })
  })

  test('each variable replaces its setting, even one that is wrong in the file', () => {
    const config = check(file, {
      HV_LISTEN: '0.0.0.0:0',
      HV_OPS_LISTEN: '127.0.0.1:1',
      HV_REDIS_URL: 'rediss://user:password@redis.internal:6380/2',
      HV_KEYRING: 'other.json',
      HV_LOG_LEVEL: 'warn',
    })
    expect(config).toMatchObject({
      listen: { host: '0.0.0.0', port: 0 },
      opsListen: { host: '127.0.0.1', port: 1 },
      redis: { url: 'rediss://user:password@redis.internal:6380/2', keyPrefix: 'x' },
      keyring: '/work/other.json',
      logLevel: 'warn',
    })
  })

  test('a wrong variable is named, and has no place in the file', () => {
    const env = {
      HV_LISTEN: 'x',
      HV_REDIS_URL: 'http://PLAINTEXT',
      HV_LOG_LEVEL: 'loud',
      HV_KEYRING: ' ',
      HV_OPS_LISTEN: '',
    }
    expect(linesOf(() => check(`${minimal}zebra: 1\n`, env))).toEqual([
      'test.yaml: 7 errors, nothing was started',
      ' 1:1 keyring is missing: with redis every process needs the same keys (hv keygen makes the file)',
      ' 3:1 zebra is unknown',
      ' HV_OPS_LISTEN is empty: give a value, or unset it',
      ' HV_KEYRING is empty: give a value, or unset it',
      ' HV_LOG_LEVEL expected one of error, warn, info, got "loud"',
      ' HV_REDIS_URL expected redis:// or rediss://, with host, port and database, got text of 16 characters (not shown)',
      ' HV_LISTEN expected host:port, port 0 to 65535, IPv6 in brackets, got "x"',
    ])
  })

  test('a variable of a file that is no configuration at all changes nothing about the refusal', () => {
    expect(refusal(() => check('[]', { HV_LISTEN: 'x' }))).toMatch(/^test.yaml: 1 error/)
  })
})

describe('files that cannot be read', () => {
  const folder = newFolder()

  test.each([
    { when: 'there is none', bytes: undefined, says: 'cannot be read: there is no such file' },
    {
      when: 'it is a folder',
      bytes: 'folder',
      says: 'config.yaml  file  cannot be read: there is no such file',
    },
    {
      when: 'it is over 1 MiB',
      bytes: Buffer.alloc(2 ** 20 + 1, '#'),
      says: 'at most 1 MiB, got 1048577 bytes',
    },
    {
      when: 'it is Latin-1',
      bytes: Buffer.from(`# caf\u00e9\n${minimal}`, 'latin1'),
      says: 'expected UTF-8',
    },
    {
      when: 'it is UTF-16',
      bytes: Buffer.from(`\ufeff${minimal}`, 'utf16le'),
      says: 'expected UTF-8',
    },
  ])('refused with a sentence when $when', ({ bytes, says }) => {
    const file = bytes === 'folder' ? folder : join(folder, 'config.yaml')
    if (bytes instanceof Buffer) writeFileSync(file, bytes)
    const report = refusal(() => loadConfig(file, {}))
    expect(report.split('\n')).toHaveLength(2)
    expect(report).toContain(says)
  })

  test('a byte order mark is no character of the file, and its document may have a marker', () => {
    const file = join(folder, 'bom.yaml')
    writeFileSync(file, `\ufeff# a comment\n---\n${minimal}`)
    expect(loadConfig(file, {}).sites).toHaveLength(1)
  })
})

describe('a configuration that is a folder', () => {
  let cwd = ''
  beforeEach(() => {
    cwd = newFolder()
    mkdirSync(join(cwd, 'config/sites'), { recursive: true })
  })

  const hash = (text: string): string =>
    createHash('sha256').update(`fixture ${text}`).digest('hex')
  const site = (name: string, change = ''): string =>
    `# ${name}\nsitekey: hv_site_${name}\nsecrets: [{sha256: ${hash(name)}}]\nhostnames: [${name}.example.com]\n${change}`
  const write = (file: string, text: string): void => writeFileSync(join(cwd, 'config', file), text)
  const load = (file = 'config') => loadConfig(file, {}, cwd)

  test('is config.yaml, then its sites by file name, then nothing else', () => {
    write('config.yaml', `${minimal}listen: 127.0.0.1:9000\n`)
    write('sites/b.yaml', site('bbbbbbbb'))
    write('sites/a.yml', site('aaaaaaaa'))
    write('sites/notes.txt', 'not a site')
    write('sites/.b.yaml.hv-edit', 'half of a si')
    const { sites, listen, folder, file } = load()
    expect(sites.map(({ sitekey }) => sitekey)).toEqual([
      'hv_site_fixture1',
      'hv_site_aaaaaaaa',
      'hv_site_bbbbbbbb',
    ])
    expect(listen.port).toBe(9000)
    expect({ folder, file }).toEqual({ folder: join(cwd, 'config'), file: 'config/config.yaml' })
  })

  test('relative paths start at it', () => {
    write('config.yaml', 'version: 1\nkeyring: keys.json\n')
    write('sites/a.yaml', site('aaaaaaaa'))
    expect(load().keyring).toBe(join(cwd, 'config/keys.json'))
  })

  test('is the default once it has sites; a file that is named is that file alone', () => {
    write('config.yaml', minimal)
    write('sites/a.yaml', site('aaaaaaaa'))
    expect(load(configFile(undefined, {})).sites).toHaveLength(2)
    expect(load('./config/config.yaml').sites).toHaveLength(1)
    rmSync(join(cwd, 'config/sites'), { recursive: true })
    expect(load(configFile(undefined, {})).sites).toHaveLength(1)
  })

  test('may contain links, as Kubernetes mounts a ConfigMap', () => {
    mkdirSync(join(cwd, 'config/sites/..2026'))
    write('sites/..2026/a.yaml', site('aaaaaaaa'))
    symlinkSync('..2026', join(cwd, 'config/sites/..data'))
    symlinkSync('..data/a.yaml', join(cwd, 'config/sites/a.yaml'))
    write('config.yaml', 'version: 1\n')
    expect(load().sites).toHaveLength(1)
  })

  test('names the file, line and column of a problem, in every file at once; a duplicate names both', () => {
    write('config.yaml', 'version: 2\n')
    write('sites/a.yaml', site('aaaaaaaa', 'score_threshold: 50\n'))
    write('sites/b.yaml', site('bbbbbbbb').replace('hv_site_bbbbbbbb', 'hv_site_aaaaaaaa'))
    write('sites/c.yaml', site('cccccccc').replace(hash('cccccccc'), hash('bbbbbbbb')))
    write('sites/d.yaml', 'sitekey: "hv_site_dddddddd\n')
    write('sites/e.yaml', '- a list\n')
    expect(refusal(load)).toBe(`config: 6 errors, nothing was started
  config/config.yaml:1:10   version            expected 1, got 2
  config/sites/a.yaml:5:18  score_threshold    expected a number from 0 to 1, got 50 (did you mean 0.5?)
  config/sites/b.yaml:2:10  sitekey            is the same as sitekey of config/sites/a.yaml (each sitekey belongs to one place)
  config/sites/c.yaml:3:20  secrets[0].sha256  is the same as secrets[0].sha256 of config/sites/b.yaml (each secret belongs to one place)
  config/sites/d.yaml:1:10  YAML               opens a quote that is never closed
  config/sites/e.yaml:1:1   file               expected a site: sitekey, secrets, hostnames, and its policy, got a list`)
  })

  test.each<[what: string, files: Readonly<Record<string, string>>, says: RegExp]>([
    [
      'without config.yaml',
      { 'sites/a.yaml': site('aaaaaaaa') },
      /config\/config\.yaml +file +cannot be read/,
    ],
    ['without a site', { 'config.yaml': 'version: 1\n' }, /sites +expected at least one site/],
    [
      'with a site that is a whole configuration',
      { 'config.yaml': 'version: 1\n', 'sites/a.yaml': minimal },
      /config\/sites\/a\.yaml:1:1 +version +is unknown/,
    ],
  ])('%s it is refused', (_what, files, says) => {
    for (const [file, text] of Object.entries(files)) write(file, text)
    expect(refusal(load)).toMatch(says)
  })

  test('with a site that is a folder it is refused', () => {
    write('config.yaml', 'version: 1\n')
    mkdirSync(join(cwd, 'config/sites/a.yaml'))
    expect(refusal(load)).toMatch(/config\/sites\/a\.yaml +file +cannot be read: it is a folder/)
  })
})
