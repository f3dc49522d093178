import { isIP } from 'node:net'
import { attackForm, type Trial } from '../doctor/attack-form.ts'
import { findForm, NoForm } from '../doctor/find-form.ts'
import { type Diagnosis, reasonOf, unknown } from '../doctor/diagnosis.ts'
import { examinePageSide } from '../doctor/page-side.ts'
import { examineAddress } from '../doctor/seen-address.ts'
import { examineTransport } from '../doctor/transport.ts'
import { command, nowOf, UsageError } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { addressReader, examineConfig, pagesOf } from './doctor-config.ts'
import { EXIT } from './exit-codes.ts'
import type { Io } from './io.ts'
import { outOf, settings } from './settings.ts'
import { coloured } from './terminal.ts'

/** `hv doctor`: finds what a set-up gets wrong, and says what to do. */
export const doctor = command(
  {
    name: 'doctor',
    summary: 'finds what a set-up gets wrong, and says what to do',
    about: `With --url: examines a running service as visitors and customers meet it: reachable, TLS, clock, the address it sees, CORS of
each hostname, caching and SRI of captcha.js; and what the configuration says: Redis, keyring, secrets near their end.
With --form: attacks the form handler of your own site, as the page at URL shows it: no token, rubbish, a spent token, a token
of another action and more. It must refuse each time. Only for a site that is yours.`,
    options: {
      url: { type: 'string', value: 'URL', says: 'the public address of a service of yours' },
      ...CONFIG,
      ip: {
        type: 'string',
        value: 'ADDRESS',
        says: 'with --url: your own public address, which the service ought to see',
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
      'hv doctor --form https://shop.example.com/sign-up --field name=Doctor --field email=doctor@example.com',
    ],
    refusal: 'something is to be mended, got through, or could not be tried',
    consequence: 'nothing was examined',
  },
  async (given, io) => {
    if ((given.url === undefined) === (given.form === undefined)) {
      throw new UsageError('hv doctor wants --url or --form, one of them')
    }
    return given.url === undefined
      ? attack({ ...given, form: given.form! }, io)
      : examine({ ...given, url: given.url }, io)
  },
)

interface Examined {
  readonly url: string
  readonly config: string | undefined
  readonly ip: string | undefined
  readonly json: boolean
}

async function examine({ url, config: named, ip, json }: Examined, io: Io): Promise<number> {
  const service = addressOf('--url', url.endsWith('/') ? url : `${url}/`)
  if (ip !== undefined && isIP(ip) === 0) throw new UsageError('--ip wants an IP address')
  const config = settings(named, io)
  const now = nowOf(io)
  const findings: Diagnosis[] = []
  const step = async (what: string, part: () => Promise<readonly Diagnosis[]>): Promise<void> => {
    io.progress?.(what)
    findings.push(...(await part()))
  }
  const pages = pagesOf(config.sites)
  await step('looking at the address', () => examineTransport(service, () => Date.now()))
  await step('looking at captcha.js and CORS', () =>
    examinePageSide(service, pages, ({ hostname }, nth) =>
      io.progress?.(`looking at CORS: ${outOf(nth, pages.length)} hostnames, ${hostname}`),
    ),
  )
  await step('looking at what address it sees', async () => {
    const reader = await addressReader(config, now).catch(() => undefined)
    if (!reader || !pages[0]) {
      const advice = 'name a keyring and a hostname without a wildcard in the configuration'
      return [unknown('visitor address', 'cannot be read from here', advice)]
    }
    const isPublic = !/^(localhost|127\.|10\.|192\.168\.|\[)/.test(service.hostname)
    return examineAddress(service, pages[0], reader, { isPublic, own: ip })
  })
  await step('looking at Redis, keyring and secrets', () => examineConfig(config, now))
  io.out(json ? JSON.stringify(findings, undefined, 2) : findingsTable(findings, io))
  return findings.some(({ outcome }) => outcome === 'mend') ? EXIT.problems : EXIT.done
}

interface Attacked {
  readonly form: string
  readonly field: readonly string[]
  readonly post: string | undefined
  readonly sitekey: string | undefined
  readonly action: string | undefined
  readonly service: string | undefined
  readonly json: boolean
}

async function attack({ form, field, json, ...known }: Attacked, io: Io): Promise<number> {
  const page = addressOf('--form', form)
  const fields = readFields(field)
  try {
    io.progress?.(`reading ${page.href}`)
    const html = await (await fetch(page, { signal: AbortSignal.timeout(15_000) })).text()
    const begins = (what: string, nth: number, of: number): void => io.progress?.(`trying ${outOf(nth, of)}: ${what}`)
    const trials = await attackForm(findForm(page, html, known), fields, begins)
    io.out(json ? JSON.stringify(trials, undefined, 2) : table(trials, io))
    return trials.every(({ outcome }) => outcome === 'refused') ? EXIT.done : EXIT.problems
  } catch (error) {
    if (error instanceof NoForm) io.err(error.message)
    else io.err(`${page.href}: cannot be fetched (${reasonOf(error)})`)
    return EXIT.problems
  }
}

function addressOf(option: string, text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`${option} wants an address that begins with https:// or http://`)
  }
  return new URL(text)
}

const COLOURS = { good: 'green', mend: 'red', unknown: 'bold' } as const

function findingsTable(findings: readonly Diagnosis[], io: Io): string {
  const widest = Math.max(...findings.map(({ check }) => check.length))
  const rows = findings.map(
    ({ check, outcome, saw, advice }) =>
      `  ${coloured(outcome.padEnd(8), COLOURS[outcome], io)} ${check.padEnd(widest)}  ${saw}${advice === '' ? '' : `\n${' '.repeat(11)}→ ${advice}`}`,
  )
  const wrong = findings.filter(({ outcome }) => outcome === 'mend').length
  return [...rows, '', wrong === 0 ? 'nothing to mend' : `${wrong} to mend`].join('\n')
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
      `  ${coloured(outcome.padEnd(10), outcome === 'refused' ? 'green' : 'red', io)} ${tried.padEnd(26)} ${saw}${advice === '' ? '' : `\n${' '.repeat(13)}→ ${advice}`}`,
  )
  const open = findings.filter(({ outcome }) => outcome !== 'refused').length
  const sum = open === 0 ? `all ${findings.length} refused: it fails closed` : `${open} of ${findings.length} to mend`
  return [...rows, '', sum].join('\n')
}
