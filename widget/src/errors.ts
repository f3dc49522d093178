import type { SvcCaptchaErrorCode } from '../captcha.d.ts'

export type ErrorNumber = SvcCaptchaErrorCode

/** The numbers of `svc-captcha:error`. 1xx: set-up of the page. 2xx: connection to the service. 3xx: challenge. 4xx: browser. */
export const ERRORS: Readonly<Record<ErrorNumber, string>> = {
  100: 'data-sitekey is missing',
  101: 'data-action is missing or malformed',
  102: 'unknown sitekey',
  103: 'hostname not listed for the site',
  104: 'action not listed for the site',
  105: 'script and service differ: reload the page',
  106: 'data-api-base is malformed or of another origin: use render()',
  107: 'form sent without a token: use requestSubmit() or execute()',
  108: 'two fields of this name: one is sent',
  109: 'no form around the widget: name one by data-form',
  110: 'box hidden: shown beside the button',
  200: 'service unreachable',
  201: 'service too slow',
  202: 'asked to wait',
  203: 'service unavailable',
  204: 'answer not understood',
  205: 'refused by Content-Security-Policy',
  300: 'challenges expired',
  301: 'solution refused',
  302: 'not accepted',
  400: 'work failed',
}

/** Reports whether the page is set up incorrectly, so that a retry cannot help. */
export const isSetUp = (code: ErrorNumber): boolean => code < 200

/** Reports whether the service was out of reach, so that the widget retries when the browser is online. */
export const isGone = (code: ErrorNumber): boolean => code >= 200 && code < 204

/** Explains to the page why there is no token. */
export class WidgetError extends Error {
  // `declare`: a class field costs 80 bytes in ES2020.
  declare readonly code: ErrorNumber
  constructor(code: ErrorNumber) {
    super(ERRORS[code])
    this.name = 'WidgetError'
    this.code = code
  }
}

/** Returns the number of an error; any other error means that the solver failed. */
export const numberOf = (error: unknown): ErrorNumber =>
  error instanceof WidgetError ? error.code : 400
