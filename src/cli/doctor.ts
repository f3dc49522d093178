import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { askTrusting } from '../doctor/ask.ts'
import { attackForm, type Trial } from '../doctor/attack-form.ts'
import { findForm, NoForm } from '../doctor/find-form.ts'
import { type Ask, type Diagnosis, notAsked, reasonOf, unknown } from '../doctor/diagnosis.ts'
import { type AllowedPage, examinePageSide } from '../doctor/page-side.ts'
import { examineLedger } from '../doctor/one-ledger.ts'
import { examineAddress } from '../doctor/seen-address.ts'
import { examineTransport } from '../doctor/transport.ts'
import type { Config } from '../config/config.ts'
import { parseUrl } from '../domain/parse-url.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { partitionOf } from '../redis/partition-of.ts'
import { command, nowOf, UsageError } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { addressReader, examineConfig, examinePage, pagesOf } from './doctor-config.ts'
import { EXIT } from './exit-codes.ts'
import { inertLine } from './inert.ts'
import type { Io } from './io.ts'
import { outOf, settings } from './settings.ts'
import { coloured } from './terminal.ts'

/** `hv doctor`: finds mistakes in a set-up, and says what to do. */
export const doctor = command(
  {
    name: 'doctor',
    summary: 'finds mistakes in a set-up, and says what to do',
    about: `With --url: examines a running service as visitors and customers meet it: reachable, TLS, clock, the address it sees, CORS of
each hostname, caching and SRI of captcha.js, one ledger behind all processes;
and the words of the configuration: Redis, keyring, secrets near their end.
With --form: attacks the form handler of your own site, as the page at URL shows it: no token, rubbish, a spent token, a token
of another action and more. It must refuse each time. Only for a site that is yours.
One cause is one finding: what it keeps from being asked is "unknown", and says so.`,
    options: {
      url: { type: 'string', value: 'URL', says: 'the public address of a service of yours' },
      ...CONFIG,
      ip: {
        type: 'string',
        value: 'ADDRESS',
        says: 'with --url: your own public address, which the service ought to see',
      },
      page: { type: 'string', value: 'URL', says: 'with --url: a page of yours; is its hostname one of a site?' },
      ca: {
        type: 'string',
        value: 'FILE',
        says: 'an authority of your own that signed the certificate, PEM (NODE_EXTRA_CA_CERTS works too)',
      },
      form: { type: 'string', value: 'URL', says: 'the page with the form' },
      field: {
        type: 'string',
        multiple: true,
        value: 'NAME=VALUE',
        says: "the form's other fields, so that its own checks do not refuse first",
      },
      post: { type: 'string', value: 'URL', says: 'where a script sends the form to, and the page does not say' },
      sitekey: { type: 'string', value: 'K', says: 'of the widget, where a script makes it' },
      action: { type: 'string', value: 'A', says: 'of the widget, where a script makes it' },
      service: { type: 'string', value: 'URL', says: 'where the widget comes from, where a script makes it' },
      ...JSON_OUTPUT,
    },
    examples: [
      'hv doctor --url https://verify.example.com --config config/config.yaml',
      'hv doctor --url https://verify.example.com --page https://www.shop.example.com/sign-up',
      'hv doctor --form https://shop.example.com/sign-up --field name=Doctor --field email=doctor@example.com',
    ],
    refusal: 'there is something to fix, or an attack got through or could not be tried',
    consequence: 'nothing was examined',
  },
  async (options, io) => {
    if ((options.url === undefined) === (options.form === undefined)) {
      throw new UsageError('hv doctor wants --url or --form, one of them')
    }
    return options.url === undefined
      ? attack({ ...options, form: options.form! }, io)
      : examine({ ...options, url: options.url }, io)
  },
)

interface Examined {
  readonly url: string
  readonly page: string | undefined
  readonly ca: string | undefined
  readonly config: string | undefined
  readonly ip: string | undefined
  readonly json: boolean
}

async function examine({ url, page, config: file, ip, ca: caFile, json }: Examined, io: Io): Promise<number> {
  const service = addressOf('--url', url.endsWith('/') ? url : `${url}/`)
  const asPage = page === undefined ? undefined : addressOf('--page', page)
  if (ip !== undefined && isIP(ip) === 0) throw new UsageError('--ip wants an IP address')
  const { ca, ask } = trustOf(caFile, io)
  const config = settings(file, io)
  const now = nowOf(io)
  const pages = pagesOf(config.sites)
  io.progress?.('looking at the address')
  const { findings: transport, reached } = await examineTransport({ service, ask, ca, now: () => Date.now() })
  const findings: Diagnosis[] = [...transport]
  if (asPage) findings.push(examinePage(asPage, config.sites))
  if (reached) {
    io.progress?.('looking at captcha.js and CORS')
    const begins = ({ hostname }: AllowedPage, nth: number): void =>
      io.progress?.(`looking at CORS: ${outOf(nth, pages.length)} hostnames, ${hostname}`)
    findings.push(...(await examinePageSide(service, ask, pages, begins)))
    io.progress?.('looking at what address it sees')
    findings.push(...(await examineSeen(service, ask, config, { page: pages[0], ip, now })))
    if (pages[0]) {
      io.progress?.('looking whether all processes share a ledger')
      const { partitions } = config.ledger
      findings.push(await examineLedger(service, ask, pages[0], (jti) => partitionOf(jti, partitions)))
    }
  } else {
    findings.push(...notAsked(['captcha.js', 'CORS', 'visitor address'], 'make the service reachable'))
  }
  io.progress?.('looking at Redis, keyring and secrets')
  findings.push(...(await examineConfig(config, now)))
  io.out(json ? JSON.stringify(findings, undefined, 2) : findingsTable(findings, io))
  return findings.some(({ outcome }) => outcome === 'fix') ? EXIT.problems : EXIT.done
}

interface SeenFrom {
  readonly page: AllowedPage | undefined
  readonly ip: string | undefined
  readonly now: UnixSeconds
}

async function examineSeen(
  service: URL,
  ask: Ask,
  config: Config,
  { page, ip, now }: SeenFrom,
): Promise<readonly Diagnosis[]> {
  const reader = await addressReader(config, now).catch(() => undefined)
  if (!reader || !page) {
    const advice = 'name a keyring and a hostname without a wildcard in the configuration'
    return [unknown('visitor address', 'cannot be read from here', advice)]
  }
  const isPublic = !/^(localhost|127\.|10\.|192\.168\.|\[)/.test(service.hostname)
  return examineAddress(service, ask, page, reader, { isPublic, own: ip })
}

/** @throws {UsageError} when the file of --ca cannot be read or holds no certificate. */
function trustOf(file: string | undefined, io: Io): { readonly ca: string | undefined; readonly ask: Ask } {
  if (file === undefined) return { ca: undefined, ask: fetch }
  let ca: string
  try {
    ca = readFileSync(resolve(io.cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(`--ca: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`)
  }
  if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`--ca: ${file} holds no certificate in PEM`)
  return { ca, ask: askTrusting(ca) }
}

interface Attacked {
  readonly ca: string | undefined
  readonly form: string
  readonly field: readonly string[]
  readonly post: string | undefined
  readonly sitekey: string | undefined
  readonly action: string | undefined
  readonly service: string | undefined
  readonly json: boolean
}

async function attack({ form, field, json, ca, ...overrides }: Attacked, io: Io): Promise<number> {
  const page = addressOf('--form', form)
  const fields = readFields(field)
  const { ask } = trustOf(ca, io)
  try {
    io.progress?.(`reading ${page.href}`)
    const html = await (await ask(page, { signal: AbortSignal.timeout(15_000) })).text()
    const begins = (what: string, nth: number, of: number): void => io.progress?.(`trying ${outOf(nth, of)}: ${what}`)
    const trials = await attackForm(findForm(page, html, overrides), fields, ask, begins)
    io.out(json ? JSON.stringify(trials, undefined, 2) : table(trials, io))
    return trials.every(({ outcome }) => outcome === 'refused') ? EXIT.done : EXIT.problems
  } catch (error) {
    if (error instanceof NoForm) io.err(error.message)
    else io.err(`${page.href}: cannot be fetched (${reasonOf(error)})`)
    return EXIT.problems
  }
}

function addressOf(option: string, text: string): URL {
  const url = parseUrl(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option} wants an address that begins with https:// or http://`)
  }
  return url
}

const COLOURS = { good: 'green', fix: 'red', unknown: 'bold' } as const

function findingsTable(findings: readonly Diagnosis[], io: Io): string {
  const widest = Math.max(...findings.map(({ check }) => check.length))
  const rows = findings.map(
    ({ check, outcome, saw, advice }) =>
      `  ${coloured(outcome.padEnd(8), COLOURS[outcome], io)} ${check.padEnd(widest)}  ${inertLine(saw)}${advice === '' ? '' : `\n${' '.repeat(11)}→ ${inertLine(advice)}`}`,
  )
  const wrong = findings.filter(({ outcome }) => outcome === 'fix').length
  return [...rows, '', wrong === 0 ? 'nothing to fix' : `${wrong} to fix`].join('\n')
}

function readFields(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      if (equals < 1) throw new UsageError(`--field wants NAME=VALUE; got "${pair}"`)
      return [pair.slice(0, equals), pair.slice(equals + 1)]
    }),
  )
}

function table(findings: readonly Trial[], io: Io): string {
  const rows = findings.map(
    ({ tried, outcome, saw, advice }) =>
      `  ${coloured(outcome.padEnd(10), outcome === 'refused' ? 'green' : 'red', io)} ${tried.padEnd(26)} ${inertLine(saw)}${advice === '' ? '' : `\n${' '.repeat(13)}→ ${inertLine(advice)}`}`,
  )
  const open = findings.filter(({ outcome }) => outcome !== 'refused').length
  const sum = open === 0 ? `all ${findings.length} refused: it fails closed` : `${open} of ${findings.length} to fix`
  return [...rows, '', sum].join('\n')
}
