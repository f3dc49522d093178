import { ELEMENT } from './options.ts'

/**
 * Defines `<human-verification>`: a container by its name, mounted as every container is. As a form-associated element it knows its form,
 * is reset with it, and has the members that frameworks expect of a field. The token travels in the hidden field inside, as elsewhere.
 */
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
