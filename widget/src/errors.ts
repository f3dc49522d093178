import type { SvcCaptchaErrorCode } from '../captcha.d.ts'

export type ErrorNumber = SvcCaptchaErrorCode

/**
 * The numbers of `svc-captcha:error`. They never change their meaning; new ones are added.
 * 1xx: the page's set-up; asking again does not help. 2xx: the way to the service. 3xx: the challenge. 4xx: the browser.
 */
export const ERRORS: Readonly<Record<ErrorNumber, string>> = {
  100: 'data-sitekey is missing',
  101: 'data-action is missing or malformed',
  102: 'unknown sitekey',
  103: 'hostname not listed for the site',
  104: 'action not listed for the site',
  105: 'script and service differ: reload the page',
  106: 'data-api-base is malformed or of another origin: use render()',
  107: 'form sent by script without a token: use requestSubmit() or execute()',
  108: 'another field of the form has this name: one is sent',
  109: 'no form around the widget: put it inside one, or name one by data-form',
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

/** Tells whether the set-up of the page is at fault, so that trying again cannot help. */
export const isSetUp = (code: ErrorNumber): boolean => code < 200

/** Tells whether the service was out of reach, so that it is asked again when the browser is online. */
export const isGone = (code: ErrorNumber): boolean => code >= 200 && code < 204

/** Could not get a token. Its number is what the page sees. */
export class WidgetError extends Error {
  // Declared, not made: a field costs 80 bytes as es2020.
  declare readonly code: ErrorNumber
  constructor(code: ErrorNumber) {
    super(ERRORS[code])
    this.name = 'WidgetError'
    this.code = code
  }
}

/** The number of whatever was thrown; an error that is none of ours means that the solver broke. */
export const numberOf = (error: unknown): ErrorNumber => (error instanceof WidgetError ? error.code : 400)
