/**
 * The numbers of `svc-captcha:error`. They never change their meaning; new ones are added.
 * 1xx: the page's set-up; asking again does not help. 2xx: the way to the service. 3xx: the challenge. 4xx: the browser.
 */
export const ERRORS = {
  100: 'data-sitekey is missing',
  101: 'data-action is missing or not 1 to 64 of A-Z a-z 0-9 _ - / .',
  102: 'the sitekey is unknown to the service',
  103: 'this hostname is not in the hostnames of the site',
  104: 'this action is not in the actions of the site',
  105: 'the service did not understand the request',
  106: 'data-api-base is not an http(s) address',
  200: 'the service could not be reached',
  201: 'the service did not answer in time',
  202: 'the service asks this visitor to wait',
  203: 'the service is temporarily unavailable',
  204: 'the answer was not one of this service',
  205: "the page's Content-Security-Policy refuses the service",
  300: 'challenges kept expiring',
  301: 'the solution was refused',
  400: 'the work could not be done in this browser',
} as const

export type ErrorNumber = keyof typeof ERRORS

/** Whether the set-up of the page is at fault, so that trying again cannot help. */
export const isSetUp = (code: ErrorNumber): boolean => code < 200

/** Could not get a token. Its number is what the page sees. */
export class WidgetError extends Error {
  readonly code: ErrorNumber
  constructor(code: ErrorNumber) {
    super(ERRORS[code])
    this.name = 'WidgetError'
    this.code = code
  }
}

/** The number of whatever was thrown; an error that is none of ours means that the solver broke. */
export const numberOf = (error: unknown): ErrorNumber => (error instanceof WidgetError ? error.code : 400)
