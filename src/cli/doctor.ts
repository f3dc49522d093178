import { parseArgs } from 'node:util'
import { attackForm, type Trial } from '../doctor/attack-form.ts'
import { findForm, NoForm } from '../doctor/find-form.ts'
import { command, UsageError } from './command.ts'

const usage = `hv doctor --form URL [--field NAME=VALUE]… [--post URL] [--sitekey K] [--action A] [--service URL] [--json]

Attacks the form handler of your own site, as the page at URL shows it: no token, rubbish, a spent token, a token of
another action and more. It must refuse each time. Only for a site that is yours. Exit code 1: something got through,
or could not be tried.

  --field   the form's other fields, so that its own checks do not refuse first
  --post, --sitekey, --action, --service   where a script makes the form, and the page as served does not say

  hv doctor --form https://shop.example.com/sign-up --field name=Doctor --field email=doctor@example.com`

/** `hv doctor`: finds what a set-up gets wrong, and says what to do. */
export const doctor = command({ usage }, async (args, io) => {
  const { values } = parseArgs({
    args,
    options: {
      form: { type: 'string' },
      field: { type: 'string', multiple: true, default: [] },
      post: { type: 'string' },
      sitekey: { type: 'string' },
      action: { type: 'string' },
      service: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const { form: address, field, json, ...known } = values
  if (address === undefined || !URL.canParse(address))
    throw new UsageError('hv doctor wants --form and the address of a page')
  const page = new URL(address)
  try {
    const fields = readFields(field)
    const html = await (await fetch(page, { signal: AbortSignal.timeout(15_000) })).text()
    const findings = await attackForm(findForm(page, html, known), fields)
    io.out(json ? JSON.stringify(findings, undefined, 2) : table(findings))
    return findings.every(({ outcome }) => outcome === 'refused') ? 0 : 1
  } catch (error) {
    if (error instanceof UsageError) throw error
    if (error instanceof NoForm) io.err(error.message)
    else io.err(`${page.href}: cannot be fetched (${error instanceof Error ? error.message : String(error)})`)
    return 1
  }
})

function readFields(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      if (equals < 1) throw new UsageError(`--field wants NAME=VALUE; got "${pair}"`)
      return [pair.slice(0, equals), pair.slice(equals + 1)]
    }),
  )
}

function table(findings: readonly Trial[]): string {
  const rows = findings.map(
    ({ tried, outcome, saw, advice }) =>
      `  ${outcome.padEnd(10)} ${tried.padEnd(26)} ${saw}${advice === '' ? '' : `\n${' '.repeat(13)}→ ${advice}`}`,
  )
  const open = findings.filter(({ outcome }) => outcome !== 'refused').length
  const sum = open === 0 ? `all ${findings.length} refused: it fails closed` : `${open} of ${findings.length} to mend`
  return [...rows, '', sum].join('\n')
}
