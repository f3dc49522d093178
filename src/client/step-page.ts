import { claimsIn } from './claims.ts'

/** What the page of a second try needs. */
export interface StepPageOptions {
  /** The `step_up` of siteverify. */
  readonly ticket: string
  readonly action: string
  /** Where the visitor's browser reaches the service. */
  readonly url: string
  /** The form field that carries the token. */
  readonly field: string
  /** What the visitor reads; plain text. */
  readonly message: string
  /** The fields that the visitor sent, as a framework has parsed them. */
  readonly fields: unknown
}

/**
 * A small page with the visitor's own fields in a form, and the widget with the ticket: the step is shown at once, and
 * the form goes to the same address again.
 *
 * @returns undefined where the fields cannot be kept (a file, an object), so that nobody loses what they wrote.
 */
export function stepPage({ ticket, action, url, field, message, fields }: StepPageOptions): string | undefined {
  const sitekey = sitekeyOf(ticket)
  const pairs = fieldsIn(fields, field)
  if (sitekey === undefined || pairs === undefined) return undefined
  const base = url.replace(/\/*$/, '/')
  const inputs = pairs.map(([name, value]) => `<input type="hidden" name="${asHtml(name)}" value="${asHtml(value)}">`)
  return `<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${asHtml(message)}</title>
<p>${asHtml(message)}</p>
<form method="post">
${inputs.join('\n')}
<div class="svc-captcha" data-sitekey="${asHtml(sitekey)}" data-action="${asHtml(action)}" data-api-base="${asHtml(base)}" data-response-field-name="${asHtml(field)}" data-step-up="${asHtml(ticket)}"></div>
<p><button>OK</button></p>
</form>
<script src="${asHtml(base)}assets/captcha.js" defer></script>
`
}

export const asHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

/** The site that a ticket names as its audience. Nothing is decided by it: the service checks the ticket. */
function sitekeyOf(ticket: string): string | undefined {
  const { aud } = claimsIn(ticket)
  return typeof aud === 'string' ? aud : undefined
}

/** Every field but the token's, a repeated one as often as it was sent. @returns undefined where one is no text. */
function fieldsIn(fields: unknown, tokenField: string): [name: string, value: string][] | undefined {
  if (fields === null || typeof fields !== 'object') return undefined
  const pairs: [string, string][] = []
  for (const [name, value] of Object.entries(fields)) {
    if (name === tokenField) continue
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof each !== 'string') return undefined
      pairs.push([name, each])
    }
  }
  return pairs
}
