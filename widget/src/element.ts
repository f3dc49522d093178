import { ELEMENT } from './options.ts'

/** Defines `<human-verification>`, a container that is form-associated. The token is in its hidden field, as in every container. */
export function defineElement(): void {
  if (customElements.get(ELEMENT)) return
  customElements.define(
    ELEMENT,
    class extends HTMLElement {
      static readonly formAssociated = true
      readonly #internals = this.attachInternals()
      get form(): HTMLFormElement | null {
        return this.#internals.form
      }
      get value(): string {
        return window.svcCaptcha!.getResponse(this)
      }
      execute(): Promise<string> {
        return window.svcCaptcha!.execute(this)
      }
      reset(): void {
        window.svcCaptcha!.reset(this)
      }
      formResetCallback(): void {
        this.reset()
      }
    },
  )
}
