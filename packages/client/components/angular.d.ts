import * as i0 from '@angular/core'
import type { SvcCaptchaError, SvcCaptchaState } from '@human-verification/kit/widget'
import type { WidgetHandle, WidgetOptions } from './mount.js'

/** The widget, as `<hv-widget>`. Inside a form nothing more is needed: the token is one of the form's fields. `#name="humanVerification"` has its functions. */
export declare class HumanVerification implements WidgetHandle, i0.OnChanges, i0.OnDestroy {
  sitekey: string
  /** The service's address. The component loads the script from there, unless the page has it already. */
  apiBase: string
  action?: string
  /** All other options. */
  options?: Partial<WidgetOptions>
  readonly token: i0.EventEmitter<string>
  readonly expired: i0.EventEmitter<void>
  readonly error: i0.EventEmitter<SvcCaptchaError>
  readonly statechange: i0.EventEmitter<SvcCaptchaState>
  execute: WidgetHandle['execute']
  stepUp: WidgetHandle['stepUp']
  getResponse: WidgetHandle['getResponse']
  isExpired: WidgetHandle['isExpired']
  reset: WidgetHandle['reset']
  refused: WidgetHandle['refused']
  ngOnChanges(): void
  ngOnDestroy(): void
  static ɵfac: i0.ɵɵFactoryDeclaration<HumanVerification, never>
  static ɵdir: i0.ɵɵDirectiveDeclaration<
    HumanVerification,
    'hv-widget',
    ['humanVerification'],
    {
      sitekey: { alias: 'sitekey'; required: true }
      apiBase: { alias: 'apiBase'; required: true }
      action: { alias: 'action'; required: false }
      options: { alias: 'options'; required: false }
    },
    { token: 'token'; expired: 'expired'; error: 'error'; statechange: 'statechange' },
    never,
    never,
    true,
    never
  >
}
