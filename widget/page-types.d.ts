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
