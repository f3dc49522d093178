import type { Component } from 'svelte'
import type { WidgetEvents, WidgetHandle, WidgetOptions } from './mount.js'

export type { WidgetHandle } from './mount.js'

/** `ontoken`, `onexpired`, `onerror`, `onstatechange`. */
type Listeners = { readonly [Name in keyof WidgetEvents as `on${Name}`]?: WidgetEvents[Name] }

export interface HumanVerificationProps extends WidgetOptions, Listeners {}

/** The widget. Inside a form nothing more is needed: the token is one of the form's fields. `bind:this` has its functions. */
export declare const HumanVerification: Component<HumanVerificationProps, WidgetHandle>
