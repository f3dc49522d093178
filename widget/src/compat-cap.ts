import type { SvcCaptcha } from '../captcha.d.ts'
import { callBack, type PageOptions } from './options.ts'

/** Tells a listener, and the function that an attribute such as `onsolve` names. */
function tell(widget: HTMLElement, name: string, detail: object = {}): void {
  const event = new CustomEvent(name, { bubbles: true, composed: true, detail })
  callBack(widget.getAttribute(`on${name}`) ?? undefined, event)
  widget.dispatchEvent(event)
}

/** Reads the attributes of Cap's element. Its endpoint is the service's address and the sitekey. */
function optionsOf(widget: HTMLElement): PageOptions {
  const endpoint = widget.getAttribute('data-cap-api-endpoint') ?? ''
  const { href } = new URL(endpoint, document.baseURI)
  const [, apiBase = '', sitekey = ''] = /^(.+\/)([^/]+)\/?$/.exec(href) ?? []
  return {
    sitekey,
    apiBase,
    responseFieldName: widget.getAttribute('data-cap-hidden-field-name') ?? 'cap-token',
    execution: 'render',
    start: widget.hidden ? 'manual' : 'load',
    ...(widget.hidden && { size: 'invisible' }),
  }
}

/**
 * `compat.js?as=cap`: the element, attributes, events, field and class of Cap's widget.
 * docs/start/migrate.md, "The page as it is"
 */
export function installCap(api: SvcCaptcha): void {
  class CapWidget extends HTMLElement {
    declare token: string | null

    connectedCallback(): void {
      const options: PageOptions = {
        ...optionsOf(this),
        callback: (token) => {
          this.token = token
          tell(this, 'solve', { token })
        },
        expiredCallback: () => {
          this.token = null
          tell(this, 'reset')
        },
        errorCallback: (code) => tell(this, 'error', { isCap: true, code, message: `${code}` }),
      }
      api.render(this, options)
    }

    async solve(): Promise<object> {
      return { success: true, token: await api.execute(this) }
    }

    reset(): void {
      this.token = null
      api.reset(this)
      tell(this, 'reset')
    }
  }

  /** Cap's way without a visible widget. */
  class Cap {
    readonly widget: CapWidget

    constructor({ apiEndpoint = '' }, widget?: CapWidget) {
      this.widget = widget ?? (document.createElement('cap-widget') as CapWidget)
      this.widget.setAttribute('data-cap-api-endpoint', apiEndpoint)
      if (widget) return
      this.widget.hidden = true
      document.body.append(this.widget)
    }

    get token(): string | null {
      return this.widget.token
    }

    solve(): Promise<object> {
      return this.widget.solve()
    }

    reset(): void {
      this.widget.reset()
    }

    addEventListener(name: string, listener: EventListener): void {
      this.widget.addEventListener(name, listener)
    }
  }

  api.ready(() => {
    customElements.define('cap-widget', CapWidget)
    Object.assign(window, { Cap })
  })
}
