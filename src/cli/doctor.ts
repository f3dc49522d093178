import { examineConfig, examinePage, pagesOf, tokenOpener } from '../doctor/examine-config.ts'
import { examineService } from '../doctor/examine-service.ts'
import type { Finding } from '../doctor/finding.ts'
import { inertLine } from '../ops/pretty-line.ts'
import type { Config } from '../settings/load.ts'
import { partitionOf } from '../store/redis/partitions.ts'
import {
  addressValue,
  configOf,
  configOption,
  define,
  jsonOption,
  print,
  urlValue,
  UsageError,
} from './command.ts'
import { EXIT, type Io } from './io.ts'

/** `hv doctor`: finds mistakes in a set-up, with remedies. */
export const doctorCommand = (io: Io) =>
  define('doctor', {
    summary: 'find mistakes in configuration and deployment, with remedies',
    about: `Examines a running service as visitors and customers meet it (its address, TLS, clock, the address it sees, CORS of each hostname, caching and SRI of captcha.js, one ledger behind all processes), and what its configuration says of Redis and the keyring (hv check names secrets near their end).

One cause is one finding: checks that it prevents are "unknown".`,
    examples: [
      'hv doctor --url https://verify.example.com --config config/config.yaml',
      'hv doctor --url https://verify.example.com --page https://www.shop.example.com/sign-up',
    ],
    fails: 'there is something to fix',
  })
    .option('--url <URL>', 'the public address of your service', urlValue)
    .option('--ip <ADDRESS>', 'your own public address, which the service should see', addressValue)
    .option('--page <URL>', 'a page of yours, whose hostname should belong to a site', urlValue)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async ({ url, ip, page, config, json }) => {
      if (url === undefined) throw new UsageError('expected --url')
      const findings = await examine({ url, page, ip }, configOf(config, io), io)
      const wrong = findings.filter(({ outcome }) => outcome === 'fix').length
      print(
        io,
        json,
        findings,
        () => `${table(findings, io)}\n${wrong === 0 ? 'nothing to fix' : `${wrong} to fix`}`,
      )
      if (wrong > 0) io.exitCode = EXIT.problems
    })

/** What the operator has named. */
interface Subject {
  readonly url: URL
  readonly page: URL | undefined
  /** The operator's own address. */
  readonly ip: string | undefined
}

async function examine({ url, page, ip }: Subject, config: Config, io: Io) {
  const now = io.now()
  return [
    ...(page ? [examinePage(page, config.sites)] : []),
    ...(await examineService(url.pathname.endsWith('/') ? url : new URL(`${url.href}/`), {
      pages: pagesOf(config.sites),
      own: ip,
      env: { ...io.env },
      open: tokenOpener(config, now),
      partitionOf: (jti) => partitionOf(jti, config.ledger.partitions),
    })),
    ...(await examineConfig(config, now)),
  ]
}

const COLOURS = { good: 'green', fix: 'red', unknown: 'bold' } as const

/** A line for each finding, and its advice on the next one. */
function table(findings: readonly Finding[], { styled }: Io): string {
  const wide = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .map(({ check, outcome, saw, advice }) => {
      const next = advice === '' ? '' : `\n${' '.repeat(10)}→ ${inertLine(advice)}`
      return `  ${styled(COLOURS[outcome], outcome.padEnd(7))} ${check.padEnd(wide)}  ${inertLine(saw)}${next}\n`
    })
    .join('')
}
