/** The JavaScript API of the widget, as `window.svcCaptcha`, for its sources and for pages; docs/widget/javascript.md describes it. */

/** The words the widget shows. */
export interface SvcCaptchaTexts {
  readonly name: string
  readonly label: string
  readonly idle: string
  readonly manual: string
  readonly working: string
  readonly holding: string
  readonly waiting: string
  readonly ready: string
  readonly verified: string
  readonly again: string
  readonly expired: string
  readonly failed: string
  readonly unsent: string
  readonly refused: string
  readonly offline: string
  readonly misplaced: string
  readonly retry: string
  readonly reload: string
  readonly confirm: string
}

/** How a widget is set up. An option that is missing is taken from the container's `data-` attributes, or has its default. */
export interface SvcCaptchaOptions {
  readonly sitekey: string
  /** 1 to 64 of `A-Z a-z 0-9 _ - / .` */
  readonly action?: string
  /** The service's address; without it, where the script came from. */
  readonly apiBase?: string
  readonly theme?: 'auto' | 'light' | 'dark'
  readonly size?: 'normal' | 'compact' | 'flexible' | 'invisible'
  /** `auto` or a BCP 47 tag. */
  readonly language?: string
  readonly start?: 'focus' | 'load' | 'submit' | 'manual'
  /** `render`: a token as soon as the work is done, and another when it was used or is over; `submit`: one when the form is sent. */
  readonly execution?: 'submit' | 'render'
  /** When the widget is seen: always; once its work began; when something is wrong. */
  readonly appearance?: 'always' | 'execute' | 'interaction-only'
  readonly retry?: 'auto' | 'never'
  /** Milliseconds between the tries of a lost call; 0: the widget's own pauses. */
  readonly retryInterval?: number
  /** Whether a token that is over is replaced: automatically, at the visitor's press, at the next submit only. */
  readonly refreshExpired?: 'auto' | 'manual' | 'never'
  /** Whether the token travels in a field of the form. */
  readonly responseField?: boolean
  readonly responseFieldName?: string
  /** At most 255 characters. */
  readonly cdata?: string
  readonly tabindex?: number
  /** Whether the console may be asked, once in a page and once in a worker, whether it is being read. */
  readonly consoleProbe?: boolean
  /** Whether a slow device works up to a minute instead of handing in a part: for a page where no form waits. */
  readonly wholeWork?: boolean
  /** The `step_up` of siteverify: the visitor is asked for the step of a second try, at the first submit. */
  readonly stepUp?: string
  /** A pass, by which your server vouches for the visitor. */
  readonly pass?: string
  /** Functions, or their names on `window`. */
  readonly callback?: ((token: string) => void) | string
  readonly expiredCallback?: (() => void) | string
  readonly errorCallback?: ((code: number) => void) | string
  readonly resetCallback?: (() => void) | string
  /** Called with error 400: this browser cannot do the work. */
  readonly unsupportedCallback?: (() => void) | string
  /** Called before the visitor is asked for the step of a second try, and after. */
  readonly beforeInteractiveCallback?: (() => void) | string
  readonly afterInteractiveCallback?: (() => void) | string
  /** Called when the step was not pressed in the ten minutes that it counts. */
  readonly timeoutCallback?: (() => void) | string
  /** Words that replace the widget's; as attributes `data-text-label` and so on. */
  readonly texts?: Partial<SvcCaptchaTexts>
}

export interface SvcCaptchaExecuteOptions {
  /** Milliseconds for which a page in the background waits until it is visible and focused; then it goes on. Default 0. */
  readonly waitForFocusMs?: number
}

/** Of `fetch`, and two more. */
export interface SvcCaptchaFetchInit extends RequestInit {
  /** Other origins than the page's that this call may send a token to. Their redirects, and redirects to them, are network errors. */
  readonly origins?: readonly string[]
  /** Whose token; the first widget of the page by default. */
  readonly widget?: SvcCaptchaWhich | undefined
}

/** A widget is named by the id `render` returned, or by its container; the first one by nothing. */
export type SvcCaptchaWhich = string | HTMLElement

export interface SvcCaptcha {
  /** Runs `task` as soon as the widgets of the page are there. */
  ready(task: () => void): void
  /** Mounts a widget; a container that has one keeps it. */
  render(container: HTMLElement | string, options?: Partial<SvcCaptchaOptions>): string
  /** @returns a token that no script was given before. Rejects with an error whose `code` is a number of docs/widget/javascript.md. */
  execute(which?: SvcCaptchaWhich, options?: SvcCaptchaExecuteOptions): Promise<string>
  /** Sends a request with a token in the header `svc-response`, and once more after a step or a clearance. @throws {TypeError} for an origin that is not listed. */
  fetch(input: RequestInfo | URL, init?: SvcCaptchaFetchInit): Promise<Response>
  /** Shows the step of a second try. @param ticket the `step_up` of siteverify. @returns a token, as `execute` does. */
  stepUp(which: SvcCaptchaWhich | undefined, ticket: string): Promise<string>
  /** The token in hand, or ''. */
  getResponse(which?: SvcCaptchaWhich): string
  isExpired(which?: SvcCaptchaWhich): boolean
  reset(which?: SvcCaptchaWhich): void
  /** Your server did not accept the form: the widget says so and drops its token. The next submit gets another one. */
  refused(which?: SvcCaptchaWhich): void
  remove(which?: SvcCaptchaWhich): void
}

export type SvcCaptchaState =
  'idle' | 'working' | 'waiting' | 'asking' | 'ready' | 'verified' | 'expired' | 'failed'

/** The numbers of `svc-captcha:error`. New ones may be added; none changes its meaning. */
export type SvcCaptchaErrorCode =
  | 100
  | 101
  | 102
  | 103
  | 104
  | 105
  | 106
  | 107
  | 108
  | 109
  | 110
  | 200
  | 201
  | 202
  | 203
  | 204
  | 205
  | 300
  | 301
  | 302
  | 400

export interface SvcCaptchaError {
  readonly code: SvcCaptchaErrorCode
  /** In English, for the developer of the page. */
  readonly message: string
  /** Whether trying again may help. */
  readonly retryable: boolean
  /** What the page's Content-Security-Policy lacks, as it has to be written: `connect-src https://verify.example.com`. */
  readonly directives: readonly string[]
}

/** The events on the container; they bubble. */
export interface SvcCaptchaEvents {
  'svc-captcha:statechange': CustomEvent<{
    readonly state: SvcCaptchaState
    readonly previous: SvcCaptchaState
  }>
  'svc-captcha:solved': CustomEvent<{ readonly token: string }>
  'svc-captcha:expired': CustomEvent<Record<string, never>>
  'svc-captcha:error': CustomEvent<SvcCaptchaError>
  'svc-captcha:reset': CustomEvent<Record<string, never>>
}

/** What `<human-verification>` has beside the members of every element; it is defined when the page has one. */
export interface HumanVerificationElement extends HTMLElement {
  readonly form: HTMLFormElement | null
  /** The token in hand, or ''. */
  readonly value: string
  execute(): Promise<string>
  reset(): void
}

declare global {
  interface Window {
    /** There once captcha.js has run. */
    svcCaptcha?: SvcCaptcha
  }
  interface HTMLElementEventMap extends SvcCaptchaEvents {}
  interface DocumentEventMap extends SvcCaptchaEvents {}
  interface HTMLElementTagNameMap {
    'human-verification': HumanVerificationElement
  }
}
