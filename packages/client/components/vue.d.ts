import type { ComponentOptionsMixin, DefineComponent } from 'vue'
import type { WidgetEvents, WidgetHandle, WidgetOptions } from './mount.js'

export type { WidgetHandle } from './mount.js'

/** What `@token`, `@expired`, `@error` and `@statechange` are given. */
type Emits = {
  [Name in keyof WidgetEvents]: (...content: Parameters<WidgetEvents[Name]>) => true
}

/**
 * The widget. Inside a form nothing more is needed: the token is one of the form's fields. A template ref has its functions.
 *
 * @example <HumanVerification sitekey="hv_site_yours" action="sign-up" api-base="https://verify.example.com/" />
 */
export declare const HumanVerification: DefineComponent<
  WidgetOptions,
  WidgetHandle,
  {},
  {},
  {},
  ComponentOptionsMixin,
  ComponentOptionsMixin,
  Emits
>
