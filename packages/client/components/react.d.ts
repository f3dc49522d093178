import type { CSSProperties, ForwardRefExoticComponent, RefAttributes } from 'react'
import type { WidgetEvents, WidgetHandle, WidgetOptions } from './mount.js'

export type { WidgetHandle } from './mount.js'

export interface HumanVerificationProps extends WidgetOptions {
  readonly onToken?: WidgetEvents['token']
  readonly onExpired?: WidgetEvents['expired']
  readonly onError?: WidgetEvents['error']
  readonly onStateChange?: WidgetEvents['statechange']
  readonly className?: string
  readonly style?: CSSProperties
}

/**
 * The widget. Inside a form nothing more is needed: the token is one of the form's fields. A `ref` has its functions.
 *
 * @example <HumanVerification sitekey="hv_site_yours" action="sign-up" apiBase="https://verify.example.com/" />
 */
export declare const HumanVerification: ForwardRefExoticComponent<
  HumanVerificationProps & RefAttributes<WidgetHandle>
>
