import type {
  SvcCaptcha,
  SvcCaptchaError,
  SvcCaptchaExecuteOptions,
  SvcCaptchaFetchInit,
  SvcCaptchaOptions,
  SvcCaptchaState,
} from '@human-verification/client/widget'

/** The props of every component: the widget's options, with the service's address. Functions are events of the component. */
export interface WidgetOptions extends Omit<SvcCaptchaOptions, `${string}allback` | 'apiBase'> {
  /** The service's address. The component loads the script from there, unless the page has it already. */
  readonly apiBase: string
}

/** What a component tells its page. */
export interface WidgetEvents {
  /** A new token; in a form, its field has it already. */
  token(token: string): void
  expired(): void
  /** A number of docs/widget/javascript.md; also 200 where the script could not be loaded. */
  error(error: SvcCaptchaError): void
  statechange(state: SvcCaptchaState): void
}

/** What a page may call on a component. */
export interface WidgetHandle {
  /** @returns a token that no script was given before. */
  execute(options?: SvcCaptchaExecuteOptions): Promise<string>
  /** `fetch` with a token of this widget in the header `svc-response`. docs/widget/javascript.md, "Calls without a form" */
  fetch(input: RequestInfo | URL, init?: Omit<SvcCaptchaFetchInit, 'widget'>): Promise<Response>
  /** Shows the step of a second try. @param ticket the `step_up` of siteverify. */
  stepUp(ticket: string): ReturnType<SvcCaptcha['stepUp']>
  /** The token in hand, or ''. */
  getResponse(): string
  isExpired(): boolean
  reset(): void
  /** Your server did not accept the form: the widget says so and drops its token. */
  refused(): void
}
