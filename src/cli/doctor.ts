import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { askTrusting } from '../doctor/ask.ts'
import { attackForm, type Trial } from '../doctor/attack-form.ts'
import { findForm, NoForm, type ProtectedForm } from '../doctor/find-form.ts'
import { type Ask, type Diagnosis, notAsked, reasonOf, unknown } from '../doctor/diagnosis.ts'
import { type AllowedPage, examinePageSide } from '../doctor/page-side.ts'
import { examineLedger } from '../doctor/one-ledger.ts'
import { examineAddress } from '../doctor/seen-address.ts'
import { examineTransport } from '../doctor/transport.ts'
import type { Config } from '../settings/load.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { partitionOf } from '../store/partitions.ts'
import {
  addressValue,
  configOf,
  configOption,
  define,
  jsonOption,
  Problem,
  repeated,
  urlValue,
  UsageError,
} from './command.ts'
import { addressReader, examineConfig, examinePage, pagesOf } from './doctor-config.ts'
import { EXIT, inertLine, type Io } from './io.ts'

interface Options {
  readonly url?: URL
  readonly ip?: string
  readonly page?: URL
  readonly form?: URL
  readonly field?: readonly string[]
  readonly post?: string
  readonly sitekey?: string
  readonly action?: string
  readonly service?: string
  readonly ca?: string
  readonly config?: string
  readonly json?: true
}

/** `hv doctor`: finds mistakes in a set-up, and says what to do. */
export const doctorCommand = (io: Io): Command =>
  define('doctor', {
    summary: 'find mistakes in a set-up, and say what to do',
    about: `With --url: examines a running service as visitors and customers meet it (reachable, TLS, clock, the address it sees, CORS of each hostname, caching and SRI of captcha.js, one ledger behind all processes), and what its configuration says of Redis, keyring and secrets near their end.

With --form: attacks the form handler of your own site, as the page at URL shows it: no token, rubbish, a spent token, a token of another action and more. It must refuse each time. Only for a site that is yours.

One cause is one finding: what it keeps from being asked is "unknown", and says so.`,
    examples: [
      'hv doctor --url https://verify.example.com --config config/config.yaml',
      'hv doctor --url https://verify.example.com --page https://www.shop.example.com/sign-up',
      'hv doctor --form https://shop.example.com/sign-up --field name=Doctor --field email=doctor@example.com',
    ],
    fails: 'there is something to fix, or an attack got through or could not be tried',
  })
    .option('--url <URL>', 'the public address of a service of yours', urlValue)
    .option('--ip <ADDRESS>', 'with --url: your own public address, which the service ought to see', addressValue)
    .option('--page <URL>', 'with --url: a page of yours; is its hostname one of a site?', urlValue)
    .option('--form <URL>', 'the page with the form', urlValue)
    .option(
      '--field <NAME=VALUE>',
      "the form's other fields, so that its own checks do not refuse first; repeatable",
      repeated,
    )
    .option('--post <URL>', 'where a script sends the form to, and the page does not say')
    .option('--sitekey <K>', 'of the widget, where a script makes it')
    .option('--action <A>', 'of the widget, where a script makes it')
    .option('--service <URL>', 'where the widget comes from, where a script makes it')
    .option('--ca <FILE>', 'an authority of your own that signed the certificate, PEM (NODE_EXTRA_CA_CERTS works too)')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options: Options) => {
      const { url, form } = options
      if (url !== undefined && form === undefined) await examine(url, options, io)
      else if (form !== undefined && url === undefined) await attack(form, options, io)
      else throw new UsageError('expected --url or --form, one of them')
    })

async function examine(url: URL, { page, config: file, ip, ca: caFile, json }: Options, io: Io): Promise<void> {
  const service = url.pathname.endsWith('/') ? url : new URL(`${url.href}/`)
  const { ca, ask } = trustOf(caFile, io)
  const config = configOf(file, io)
  const now = io.now()
  const pages = pagesOf(config.sites)
  const { findings: transport, reached } = await examineTransport({ service, ask, ca, now: () => Date.now() })
  const findings: Diagnosis[] = [...transport]
  if (page) findings.push(examinePage(page, config.sites))
  if (reached) {
    findings.push(...(await examinePageSide(service, ask, pages)))
    findings.push(...(await examineSeen(service, ask, config, { page: pages[0], ip, now })))
    if (pages[0]) {
      const { partitions } = config.ledger
      findings.push(await examineLedger(service, ask, pages[0], (jti) => partitionOf(jti, partitions)))
    }
  } else {
    findings.push(...notAsked(['captcha.js', 'CORS', 'visitor address'], 'make the service reachable'))
  }
  findings.push(...(await examineConfig(config, now)))
  io.out(json ? JSON.stringify(findings, undefined, 2) : findingsTable(findings, io))
  if (findings.some(({ outcome }) => outcome === 'fix')) io.exitCode = EXIT.problems
}

function formIn(...found: Parameters<typeof findForm>): ProtectedForm {
  try {
    return findForm(...found)
  } catch (error) {
    throw error instanceof NoForm ? new Problem(error.message) : error
  }
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

async function attack(page: URL, { field = [], json, ca, ...overrides }: Options, io: Io): Promise<void> {
  const fields = readFields(field)
  const { ask } = trustOf(ca, io)
  const html = await ask(page, { signal: AbortSignal.timeout(15_000) })
    .then((res) => res.text())
    .catch((error: unknown) => {
      throw new Problem(`${page.href}: cannot be fetched (${reasonOf(error)})`)
    })
  const trials = await attackForm(formIn(page, html, overrides), fields, ask)
  io.out(json ? JSON.stringify(trials, undefined, 2) : table(trials, io))
  if (!trials.every(({ outcome }) => outcome === 'refused')) io.exitCode = EXIT.problems
}

const COLOURS = { good: 'green', fix: 'red', unknown: 'bold' } as const

function findingsTable(findings: readonly Diagnosis[], io: Io): string {
  const widest = Math.max(...findings.map(({ check }) => check.length))
  const rows = findings.map(
    ({ check, outcome, saw, advice }) =>
      `  ${io.styled(COLOURS[outcome], outcome.padEnd(8))} ${check.padEnd(widest)}  ${inertLine(saw)}${advice === '' ? '' : `\n${' '.repeat(11)}→ ${inertLine(advice)}`}`,
  )
  const wrong = findings.filter(({ outcome }) => outcome === 'fix').length
  return [...rows, '', wrong === 0 ? 'nothing to fix' : `${wrong} to fix`].join('\n')
}

function readFields(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      if (equals < 1) throw new UsageError(`--field: expected NAME=VALUE, got "${pair}"`)
      return [pair.slice(0, equals), pair.slice(equals + 1)]
    }),
  )
}

function table(findings: readonly Trial[], io: Io): string {
  const rows = findings.map(
    ({ tried, outcome, saw, advice }) =>
      `  ${io.styled(outcome === 'refused' ? 'green' : 'red', outcome.padEnd(10))} ${tried.padEnd(26)} ${inertLine(saw)}${advice === '' ? '' : `\n${' '.repeat(13)}→ ${inertLine(advice)}`}`,
  )
  const open = findings.filter(({ outcome }) => outcome !== 'refused').length
  const sum = open === 0 ? `all ${findings.length} refused: it fails closed` : `${open} of ${findings.length} to fix`
  return [...rows, '', sum].join('\n')
}
