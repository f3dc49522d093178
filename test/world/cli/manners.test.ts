/**
 * Every command shows progress where somebody may have to wait, honours NO_COLOR and --json, has --help
 * with examples, and exit codes that are documented. A command that is not in this table fails the first test.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { COMMANDS, TABLE } from '../../../src/cli/commands.ts'
import { EXIT, EXIT_MEANS } from '../../../src/cli/exit-codes.ts'
import type { Command } from '../../../src/cli/io.ts'
import { listen, type Listening } from '../../../src/http/server/listen.ts'
import { keyring, readKeyringFile } from '../../../src/token/keyring.ts'
import { DEFAULT_ISSUER, jwsTokens } from '../../../src/token/tokens.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { site, SITEKEY, testService, type TestService } from '../../support/app.ts'
import { keyringFile } from '../../support/process.ts'
import { token } from '../../support/visitor.ts'
import { stage } from '../../support/cli-stage.ts'

interface Manners {
  /** What stands behind its name. */
  readonly args: () => readonly string[]
  readonly input?: () => string
  readonly code?: number
  /** What it says while it works, in this order; or that nobody ever waits for it. */
  readonly progress: readonly RegExp[] | 'at once'
  /** Whether a terminal gets colours. */
  readonly coloured?: true
  /** Why it has no `--json`. */
  readonly noJson?: string
}

const OTHER = 'hv_site_anothershop'
const READS = /^reading conf$/
const READS_FILES = /^reading conf: \d of \d$/
let [response, form, decision] = ['', '', '']

const MANNERS: Readonly<Record<string, Manners>> = {
  check: { args: () => [], progress: [READS, READS_FILES] },
  doctor: {
    args: () => ['--url', service.base],
    // No captcha.js in a test of the service.
    code: EXIT.problems,
    progress: [
      READS_FILES,
      /^looking at the address$/,
      /^looking at CORS: 3 of 3 hostnames, shop\.example\.com$/,
      /^looking at what address it sees$/,
      /^looking at Redis/,
    ],
    coloured: true,
  },
  'doctor --form': {
    args: () => ['--form', form],
    progress: [/^reading http:/, /^trying 1 of 7: no token$/, /^trying 7 of 7: the field twice$/],
    coloured: true,
  },
  'site add': { args: () => ['--hostname', 'new.example.com'], progress: [READS_FILES, /^writing conf: 1 of 1$/] },
  'site add --from': {
    args: () => ['--from', '-'],
    input: () => 'a.example.com\nb.example.com\n',
    progress: [/^reading standard input$/, READS_FILES, /^writing conf: 2 of 2$/],
  },
  'site rotate': { args: () => [OTHER], progress: [READS_FILES] },
  'site list': { args: () => [], progress: [READS_FILES] },
  'site remove': { args: () => [OTHER], progress: [READS_FILES] },
  keygen: { args: () => [], progress: [READS_FILES] },
  token: { args: () => [response], progress: [READS_FILES, /^asking the ledger$/] },
  explain: { args: () => [response], progress: [READS_FILES], coloured: true },
  'explain -': { args: () => ['-'], input: () => decision, progress: [/^reading standard input$/], coloured: true },
  'pass issue': {
    args: () => ['--site', SITEKEY, '--url', 'https://shop.example.com/', '--action', 'submit'],
    progress: [READS_FILES],
  },
  'policy diff': {
    args: () => ['conf', '--decisions', 'service.log'],
    progress: [READS_FILES, /^100 % of 1 MB$/],
  },
  'rules test': {
    args: () => ['--site', SITEKEY],
    progress: [READS_FILES, /^reading the network files$/],
    coloured: true,
  },
  'agents fetch': {
    args: () => ['crawler'],
    // Its file is kept by hand.
    code: EXIT.problems,
    progress: [READS_FILES],
    noJson: 'it writes one file, and says which',
  },
  'agents test': {
    args: () => ['--ip', '192.0.2.1'],
    input: () => 'POST /api/v1/challenge HTTP/1.1\nHost: verify.example.com\n\n',
    progress: [READS_FILES],
  },
  openapi: { args: () => [], progress: 'at once' },
  completion: { args: () => ['bash'], progress: 'at once', noJson: 'a script for a shell is no data' },
}

/** What runs until a signal is in test/world/cli/programs.test.ts: its standard output is a log, or says where it listens. */
const PROGRAMS = ['serve', 'test-server', 'demo', 'try', 'measure', 'demo-site']

const folder = mkdtempSync(join(tmpdir(), 'hv-manners-'))
let service: TestService
let customer: Listening

beforeAll(async () => {
  const keys = keyringFile()
  const clock = { now: () => unixSeconds(Math.floor(Date.now() / 1000)) }
  const tokens = jwsTokens({ keyring: keyring(readKeyringFile(keys)), issuer: DEFAULT_ISSUER, clock })
  const policy = site({ hostnames: ['127.0.0.1', 'shop.example.com'] })
  service = await testService({ siteList: [policy], tokens })
  response = await token(service.ask)

  const secrets = `secrets: [{sha256: ${policy.secrets[0]!.sha256}}]`
  mkdirSync(join(folder, 'conf/sites'), { recursive: true })
  cpSync(keys, join(folder, 'conf/keyring.json'))
  writeFileSync(
    join(folder, 'conf/config.yaml'),
    'version: 1\nkeyring: keyring.json\nagents: [{name: crawler, ranges: crawler.txt}]\n',
  )
  writeFileSync(join(folder, 'conf/crawler.txt'), '192.0.2.0/24\n')
  const shop = `hostnames: [127.0.0.1, shop.example.com]\n${secrets}\npasses: true\nrules: [{name: all, when: {action: [submit]}, effect: {score: 0}}]\n`
  writeFileSync(join(folder, 'conf/sites/shop.yaml'), `sitekey: ${SITEKEY}\n${shop}`)
  writeFileSync(
    join(folder, 'conf/sites/other.yaml'),
    `sitekey: ${OTHER}\nhostnames: [other.example.com]\nsecrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]\n`,
  )
  const solved = () => service.lines().find(({ message }) => message === 'solve')
  for (let i = 0; i < 250 && !solved(); i++) await new Promise((resolve) => setTimeout(resolve, 20))
  decision = JSON.stringify(solved())
  writeFileSync(join(folder, 'service.log'), `${decision}\n`)

  const app = express()
  const container = `<div class="svc-captcha" data-sitekey="${SITEKEY}" data-action="sign-up" data-api-base="${service.base}/">`
  app.get('/', (_req, res) => void res.send(`<form method="post" action="/go">${container}</div></form>`))
  app.post('/go', (_req, res) => void res.status(422).end())
  customer = await listen(app, { host: '127.0.0.1', port: 0 })
  form = `${customer.url}/`
})
afterAll(async () => {
  await customer.stop(0)
  await service.stop(0)
  rmSync(folder, { recursive: true })
})

/** `site add` of `site add --from`: what a row is about, without the manner of calling it. */
const nameOf = (row: string): string => row.replace(/ -.*$/, '')
const leaves: readonly string[] = TABLE.flatMap((row) => Object.values(row.commands ?? [row])).map(({ name }) => name)
const rows = Object.keys(MANNERS)

function commandOf(row: string): Command {
  const [first, second] = nameOf(row).split(' ')
  return second === undefined ? COMMANDS[first!]! : COMMANDS[first!]!.commands![second]!
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** What stood on the progress line, one after the other. */
  readonly drawn: readonly string[]
}

/** Runs it in a folder of its own, on a terminal or not. */
async function run(row: string, how: Parameters<typeof stage>[0], ...more: string[]): Promise<Ran> {
  const { args, input } = MANNERS[row]!
  const cwd = mkdtempSync(join(folder, 'run-'))
  cpSync(join(folder, 'conf'), join(cwd, 'conf'), { recursive: true })
  cpSync(join(folder, 'service.log'), join(cwd, 'service.log'))
  const { io, said } = stage({ columns: 120, step: 1000, ...how, ...(input && { input: input() }) })
  const env = { HV_CONFIG: 'conf', ...how?.env }
  const code = await commandOf(row).run([...args(), ...more], { ...io, env, cwd })
  const { out, err } = said()
  // oxlint-disable-next-line no-control-regex
  return { code, out, err, drawn: [...err.matchAll(/\r\u001b\[K([^\r\n]+)/g)].map(([, text]) => text!) }
}

test('every command there is has its row', () => {
  expect(new Set([...rows.map(nameOf), ...PROGRAMS])).toEqual(new Set(leaves))
})

describe.each(rows)('hv %s', (row) => {
  const mannersOf = (): Manners => MANNERS[row]!

  test('says how far it is on a terminal, on a line that is gone at the end, and nowhere else', async () => {
    const { progress, code = EXIT.done } = mannersOf()
    const seen = await run(row, { tty: true })
    expect({ code: seen.code, err: seen.err }).toMatchObject({ code })
    const wanted = progress === 'at once' ? [] : progress
    let from = 0
    for (const says of wanted) {
      const at = seen.drawn.findIndex((text, i) => i >= from && says.test(text))
      expect({ says, drawn: seen.drawn, found: at >= 0 }).toMatchObject({ found: true })
      from = at
    }
    expect(seen.drawn.length > 0).toBe(wanted.length > 0)
    // oxlint-disable-next-line no-control-regex
    expect(seen.err.replaceAll(/\r\u001b\[K[^\r\n]+(?=\r\u001b\[K)/g, '').replaceAll('\r\u001b[K', '')).not.toMatch(
      /reading|writing|looking|trying|asking/,
    )

    const elsewhere = await run(row, { tty: false })
    for (const sign of ['\r', '\u001b']) expect(elsewhere.err + elsewhere.out).not.toContain(sign)
  })

  test('has colours on a terminal at the most, and never with NO_COLOR', async () => {
    expect((await run(row, { tty: true })).out.includes('\u001b[')).toBe(mannersOf().coloured === true)
    expect((await run(row, { tty: true, env: { NO_COLOR: '1' } })).out).not.toContain('\u001b')
  })

  test('has --json, or a reason not to', () => {
    expect('json' in commandOf(row).options).toBe(mannersOf().noJson === undefined)
  })
  ;(MANNERS[row]!.noJson === undefined ? test : test.skip)(
    'prints one JSON value with --json, and nothing else, on a terminal too',
    async () => {
      const { out, code } = await run(row, { tty: true }, '--json')
      expect(typeof JSON.parse(out)).toBe('object')
      expect(code).toBe(mannersOf().code ?? EXIT.done)
    },
  )

  test('has help with examples and exit codes, and ends with one of them when it is called wrongly', async () => {
    const help = await run(row, { tty: true }, '--help')
    expect({ code: help.code, err: help.err }).toEqual({ code: EXIT.done, err: '' })
    expect(help.out).toMatch(/^Examples:\n {2}\S/m)
    expect(help.out).toMatch(/^Exit codes: 0 done; 1 .+; 2 called wrongly\.$/m)
    const wrong = await run(row, { tty: false }, '--no-such-option')
    expect({ code: wrong.code, out: wrong.out }).toEqual({ code: EXIT.wrongCall, out: '' })
    expect(wrong.err).toContain(`More with: hv ${nameOf(row)} --help`)
    expect(EXIT_MEANS.map(([code]) => code)).toContain(mannersOf().code ?? EXIT.done)
  })
})
