import type { SvcCaptcha } from '../captcha.d.ts'
import { directionOf, ENGLISH, pickLanguage, type Texts } from './texts.ts'

/** The name of the bridge. docs/widget/apps.md */
const NAME = 'HumanVerification'

/** An object that an app adds to its web view to receive messages. */
type Bridge = { postMessage(text: string): void } | undefined

interface Host {
  /** iOS, macOS, WebKitGTK. */
  readonly webkit?: { readonly messageHandlers?: { readonly [NAME]?: Bridge } }
  readonly ReactNativeWebView?: Bridge
  /** Android’s `addJavascriptInterface` and `addWebMessageListener`, Flutter’s JavaScript channel. */
  readonly [NAME]?: Bridge
}

/** Returns the app's bridge; undefined in an ordinary browser. Some apps add it late. */
function bridge(): Bridge {
  const host = window as unknown as Host
  return host.webkit?.messageHandlers?.[NAME] ?? host.ReactNativeWebView ?? host[NAME]
}

/** Runs native.html: one button, whose token goes to the app only. */
async function start(captcha: SvcCaptcha): Promise<void> {
  const wish = new URLSearchParams(location.search)
  const action = wish.get('action') ?? ''
  const language = pickLanguage([wish.get('hl') ?? '', ...navigator.languages].filter(Boolean))
  const fetched =
    language === 'en' ? {} : await fetch(`captcha-text-${language}.json`).then(readJson, () => ({}))
  const texts: Texts = { ...ENGLISH, ...fetched }
  document.documentElement.lang = language
  document.documentElement.dir = directionOf(language)
  document.title = texts.name

  const button = document.querySelector('button')!
  const status = document.querySelector('output')!
  button.textContent = texts.label
  const container = document.createElement('div')
  button.after(container)
  const id = captcha.render(container, {
    sitekey: wish.get('sitekey') ?? '',
    action,
    language,
    size: 'flexible',
    // Only the button is visible, unless the visitor must do more.
    appearance: 'interaction-only',
    start: 'load',
  })

  button.addEventListener('click', () => {
    button.disabled = true
    status.value = texts.working
    void captcha
      .execute(id)
      .then(
        (token) => hand({ token, action }, texts.verified),
        ({ code = 0, message }: Error & { code?: number }) =>
          hand({ error: code, message }, texts.failed),
      )
      .finally(() => {
        button.disabled = false
      })
  })
  button.hidden = false

  function hand(message: object, then: string): void {
    const to = bridge()
    to?.postMessage(JSON.stringify(message))
    status.value = to ? then : `No app is listening: it offers no bridge named ${NAME}.`
  }
}

const readJson = (response: Response): Promise<Partial<Texts>> =>
  response.json() as Promise<Partial<Texts>>

if (window.svcCaptcha) void start(window.svcCaptcha)
