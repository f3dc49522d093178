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

export interface StepPage {
  readonly html: string
  /** The page holds what the visitor sent: it runs no script but its own and the widget, and cannot be framed. */
  readonly policy: string
}

/**
 * Returns a small page with the visitor's own fields in a form, and the widget with the ticket. It submits itself, which shows
 * the step; after the one press the form goes to the same address again. The form's own button is for a page whose script
 * did not run.
 *
 * @returns undefined where the fields cannot be kept (a file, an object), so that visitors never lose what they wrote.
 */
export function stepPage({
  ticket,
  action,
  url,
  field,
  message,
  fields,
}: StepPageOptions): StepPage | undefined {
  const sitekey = sitekeyOf(ticket)
  const pairs = fieldsIn(fields, field)
  if (sitekey === undefined || pairs === undefined) return undefined
  const base = url.replace(/\/*$/, '/')
  const nonce = crypto.randomUUID()
  const inputs = pairs.map(
    ([name, value]) => `<input type="hidden" name="${asHtml(name)}" value="${asHtml(value)}">`,
  )
  const html = `<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${asHtml(message)}</title>
<p>${asHtml(message)}</p>
<form method="post">
${inputs.join('\n')}
<div class="svc-captcha" data-sitekey="${asHtml(sitekey)}" data-action="${asHtml(action)}" data-api-base="${asHtml(base)}" data-response-field-name="${asHtml(field)}" data-step-up="${asHtml(ticket)}"></div>
<p><button>${asHtml(message)}</button></p>
</form>
<script nonce="${nonce}" src="${asHtml(base)}assets/captcha.js" defer></script>
<script nonce="${nonce}">
addEventListener('load', () => {
  if (!window.svcCaptcha) return
  document.querySelector('form > p').hidden = true
  // form.requestSubmit would be a field, if one has that name.
  HTMLFormElement.prototype.requestSubmit.call(document.querySelector('form'))
})
</script>
`
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    'worker-src blob:',
    `connect-src ${new URL(base).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return { html, policy: policy.join('; ') }
}

export const asHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

/** Returns the unencrypted claims of a ticket, unverified. */
function claimsIn(ticket: string): Readonly<Record<string, unknown>> {
  try {
    const payload = (ticket.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    return Object(JSON.parse(atob(payload))) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Returns the site that a ticket names as its audience. Nothing is decided by it: the service checks the ticket. */
function sitekeyOf(ticket: string): string | undefined {
  const { aud } = claimsIn(ticket)
  return typeof aud === 'string' ? aud : undefined
}

/** Every field but the token's, a repeated one as often as it was sent. @returns undefined where one is no text. */
function fieldsIn(
  fields: unknown,
  tokenField: string,
): [name: string, value: string][] | undefined {
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
