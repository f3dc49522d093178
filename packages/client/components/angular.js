import * as i0 from '@angular/core'
import { handleOf, mount } from './mount.js'

/**
 * The widget as `<hv-widget>`. Inside a form nothing more is needed: the token is one of the form's fields. The declarations are those of
 * a library that was compiled in part: any later Angular completes them.
 */
export class HumanVerification {
  static ɵfac = i0.ɵɵngDeclareFactory({
    minVersion: '12.0.0',
    version: '17.0.0',
    ngImport: i0,
    type: HumanVerification,
    deps: [],
    target: i0.ɵɵFactoryTarget.Directive,
  })
  static ɵdir = i0.ɵɵngDeclareDirective({
    minVersion: '14.0.0',
    version: '17.0.0',
    type: HumanVerification,
    isStandalone: true,
    selector: 'hv-widget',
    inputs: { sitekey: 'sitekey', action: 'action', apiBase: 'apiBase', options: 'options' },
    outputs: { token: 'token', expired: 'expired', error: 'error', statechange: 'statechange' },
    exportAs: ['humanVerification'],
    usesOnChanges: true,
    ngImport: i0,
  })

  token = new i0.EventEmitter()
  expired = new i0.EventEmitter()
  error = new i0.EventEmitter()
  statechange = new i0.EventEmitter()
  #place = i0.inject(i0.ElementRef).nativeElement
  #isBrowser = i0.inject(i0.PLATFORM_ID) === 'browser'
  #wanted
  #widget

  constructor() {
    Object.assign(
      this,
      handleOf(() => this.#widget),
    )
  }

  ngOnChanges() {
    const { sitekey, action, apiBase, options } = this
    const wanted = JSON.stringify({ ...options, sitekey, action, apiBase })
    if (!this.#isBrowser || wanted === this.#wanted) return
    this.#wanted = wanted
    this.#place.style.display ||= 'block'
    this.#widget?.remove()
    this.#widget = mount(this.#place, JSON.parse(wanted), (name, content) => this[name].emit(content))
  }

  ngOnDestroy() {
    this.#widget?.remove()
  }
}
