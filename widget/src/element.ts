import { ELEMENT } from './options.ts'

const internals = new WeakMap<HTMLElement, ElementInternals>()

/** Defines `<human-verification>`, a container that is form-associated. The token is in its hidden field, as in every container. */
export function defineElement(): void {
  if (customElements.get(ELEMENT)) return
  customElements.define(
    ELEMENT,
    class extends HTMLElement {
      // Class fields cost 250 bytes in ES2020.
      static get formAssociated(): boolean {
        return true
      }
      constructor() {
        super()
        internals.set(this, this.attachInternals())
      }
      get form(): HTMLFormElement | null {
        return internals.get(this)!.form
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
