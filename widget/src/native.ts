import type { SvcCaptcha } from '../captcha.d.ts'
import { directionOf, ENGLISH, pickLanguage, type Texts } from './texts.ts'

/** An object that a host app put into its web view, to be told something by text. docs/widget/apps.md */
interface Bridge {
  postMessage(text: string): void
}

/** The name under which an app offers its bridge, on each platform. */
const NAME = 'HumanVerification'

interface Host {
  /** iOS, macOS, WebKitGTK. */
  readonly webkit?: { readonly messageHandlers?: Readonly<Record<string, Bridge | undefined>> }
  readonly ReactNativeWebView?: Bridge
  /** Android’s `addJavascriptInterface` and `addWebMessageListener`, Flutter’s JavaScript channel. */
  readonly [NAME]?: Bridge
}

/** The bridge of the app around this page; undefined: an ordinary browser. Looked up at the press: some apps add it late. */
function bridge(): Bridge | undefined {
  const host = window as unknown as Host
  return host.webkit?.messageHandlers?.[NAME] ?? host.ReactNativeWebView ?? host[NAME]
}

/** The script of native.html: one button, whose token goes to the app and to nobody else. */
async function start(captcha: SvcCaptcha): Promise<void> {
  const wish = new URLSearchParams(location.search)
  const action = wish.get('action') ?? ''
  const language = pickLanguage([wish.get('hl') ?? '', ...navigator.languages].filter(Boolean))
  const texts = await wordsIn(language)
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
    // The button is what is seen, unless the visitor has to know or to do more.
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
        ({ code = 0, message }: Error & { code?: number }) => hand({ error: code, message }, texts.failed),
      )
      .finally(() => (button.disabled = false))
  })
  button.hidden = false

  function hand(message: object, then: string): void {
    const to = bridge()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
    to?.postMessage(JSON.stringify(message))
    status.value = to ? then : `No app is listening: it offers no bridge named ${NAME}.`
  }
}

async function wordsIn(language: string): Promise<Texts> {
  if (language === 'en') return ENGLISH
  const words = await fetch(`captcha-text-${language}.json`).then(
    (answer) => answer.json() as Promise<Partial<Texts>>,
    () => ({}),
  )
  return { ...ENGLISH, ...words }
}

if (window.svcCaptcha) void start(window.svcCaptcha)
