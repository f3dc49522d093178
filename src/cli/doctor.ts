import { attackForm, type Trial } from '../doctor/attack-form.ts'
import { findForm, NoForm } from '../doctor/find-form.ts'
import { command, UsageError } from './command.ts'
import { JSON_OUTPUT } from './describe.ts'
import type { Io } from './io.ts'
import { coloured } from './terminal.ts'

/** `hv doctor`: finds what a set-up gets wrong, and says what to do. */
export const doctor = command(
  {
    name: 'doctor',
    summary: 'attacks the form handler of your own site; it must refuse',
    about: `Attacks the form handler of your own site, as the page at URL shows it: no token, rubbish, a spent token, a token of
another action and more. It must refuse each time. Only for a site that is yours.`,
    options: {
      form: { type: 'string', value: 'URL', required: true, says: 'the page with the form' },
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
      'hv doctor --form https://shop.example.com/sign-up --field name=Doctor --field email=doctor@example.com',
    ],
    refusal: 'something got through, or could not be tried',
  },
  async ({ form: address, field, json, ...known }, io) => {
    if (!URL.canParse(address)) throw new UsageError('hv doctor wants --form and the address of a page')
    const page = new URL(address)
    try {
      const fields = readFields(field)
      const html = await (await fetch(page, { signal: AbortSignal.timeout(15_000) })).text()
      const findings = await attackForm(findForm(page, html, known), fields)
      io.out(json ? JSON.stringify(findings, undefined, 2) : table(findings, io))
      return findings.every(({ outcome }) => outcome === 'refused') ? 0 : 1
    } catch (error) {
      if (error instanceof UsageError) throw error
      if (error instanceof NoForm) io.err(error.message)
      else io.err(`${page.href}: cannot be fetched (${error instanceof Error ? error.message : String(error)})`)
      return 1
    }
  },
)

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
