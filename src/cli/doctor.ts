import { InvalidArgumentError } from '@commander-js/extra-typings'
import { attackForm, findForm, NoForm, withSlash } from '../doctor/attack-form.ts'
import { examineConfig, examinePage, pagesOf, tokenOpener } from '../doctor/examine-config.ts'
import { examineService } from '../doctor/examine-service.ts'
import { type Finding, reasonOf, unreachableAdvice } from '../doctor/finding.ts'
import { inertLine } from '../ops/pretty-line.ts'
import type { Config } from '../settings/load.ts'
import { partitionOf } from '../store/partitions.ts'
import {
  addressValue,
  configOf,
  configOption,
  define,
  jsonOption,
  print,
  Problem,
  urlValue,
  UsageError,
} from './command.ts'
import { EXIT, type Io } from './io.ts'

/** `hv doctor`: finds mistakes in a set-up, and says what to do. */
export const doctorCommand = (io: Io) =>
  define('doctor', {
    summary: 'find mistakes of configuration and deployment, and say what to do',
    about: `With --url: examines a running service as visitors and customers meet it (its address, TLS, clock, the address it sees, CORS of each hostname, caching and SRI of captcha.js, one ledger behind all processes), and what its configuration says of Redis and the keyring (hv check names secrets near their end).

With --form: attacks the form handler of your own site, as the page at URL shows it: no token, rubbish, a spent token, a token of another action and more. It must refuse each time. Use it only on your own site.

One cause is one finding: checks that it prevents are "unknown".`,
    examples: [
      'hv doctor --url https://verify.example.com --config config/config.yaml',
      'hv doctor --url https://verify.example.com --page https://www.shop.example.com/sign-up',
      'hv doctor --form https://shop.example.com/sign-up --field name=Doctor --field email=doctor@example.com',
    ],
    fails: 'there is something to fix, or an attack got through or could not be tried',
  })
    .option('--url <URL>', 'the public address of your service', urlValue)
    .option('--ip <ADDRESS>', 'with --url: your own public address, which the service should see', addressValue)
    .option('--page <URL>', 'with --url: a page of yours, whose hostname should belong to a site', urlValue)
    .option('--form <URL>', 'the page with the form', urlValue)
    .option(
      '--field <NAME=VALUE>',
      "the form's other fields, so that its own checks do not refuse first; repeatable",
      moreFields,
    )
    .option('--post <URL>', 'where a script sends the form, if the page does not say')
    .option('--sitekey <K>', 'of the widget, if a script adds it')
    .option('--action <A>', 'of the widget, if a script adds it')
    .option('--service <URL>', 'the address of the service, if a script adds the widget')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async ({ url, form, ip, page, field, config, json, ...parts }) => {
      if ((url === undefined) === (form === undefined)) throw new UsageError('expected either --url or --form')
      const findings = url
        ? await examine(url, page, ip, configOf(config, io), io)
        : await attack(form!, field ?? {}, parts, io)
      const wrong = findings.filter(({ outcome }) => outcome === 'fix').length
      print(io, json, findings, () => `${table(findings, io)}\n${wrong === 0 ? 'nothing to fix' : `${wrong} to fix`}`)
      if (wrong > 0) io.exitCode = EXIT.problems
    })

async function examine(url: URL, page: URL | undefined, own: string | undefined, config: Config, io: Io) {
  const now = io.now()
  return [
    ...(page ? [examinePage(page, config.sites)] : []),
    ...(await examineService(withSlash(url), {
      pages: pagesOf(config.sites),
      own,
      env: { ...io.env },
      open: tokenOpener(config, now),
      partitionOf: (jti) => partitionOf(jti, config.ledger.partitions),
    })),
    ...(await examineConfig(config, now)),
  ]
}

async function attack(page: URL, fields: Fields, parts: Parameters<typeof findForm>[2], io: Io) {
  const html = await fetch(page, { signal: AbortSignal.timeout(15_000) })
    .then((res) => res.text())
    .catch((error: unknown) => {
      throw new Problem(`${page.href}: cannot be fetched (${reasonOf(error)}): ${unreachableAdvice({ ...io.env })}`)
    })
  try {
    return await attackForm(findForm(page, html, parts), fields)
  } catch (error) {
    throw error instanceof NoForm ? new Problem(error.message) : error
  }
}

type Fields = Readonly<Record<string, string>>

function moreFields(text: string, earlier: Fields = {}): Fields {
  const equals = text.indexOf('=')
  if (equals < 1) throw new InvalidArgumentError('Expected NAME=VALUE.')
  return { ...earlier, [text.slice(0, equals)]: text.slice(equals + 1) }
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
