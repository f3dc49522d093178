/** What the components of this folder share. Nothing here touches `window` before a component is mounted, so that a server may import it. */

let loading

/** Loads the script of the widget, once for the whole page. Resolves with `window.svcCaptcha`. */
function loadWidget(apiBase) {
  if (window.svcCaptcha) return Promise.resolve(window.svcCaptcha)
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${String(apiBase).replace(/\/$/, '')}/assets/captcha.js?v=1`
    script.addEventListener('load', () => resolve(window.svcCaptcha))
    script.addEventListener('error', () => {
      // The next component tries again.
      loading = undefined
      script.remove()
      reject(new Error(`${script.src} could not be loaded`))
    })
    document.head.append(script)
  })
  return loading
}

/** Names of the events that a component has, and what each hands on. */
const EVENTS = {
  token: ['solved', ({ token }) => token],
  expired: ['expired', () => undefined],
  error: ['error', (error) => error],
  statechange: ['statechange', ({ state }) => state],
}

/** The options that a widget may have: the props of every component. */
export const OPTIONS =
  'sitekey action apiBase theme size language start execution appearance retry retryInterval refreshExpired responseField responseFieldName cdata tabindex consoleProbe wholeWork stepUp pass texts'.split(
    ' ',
  )

/** Mounts a widget in `place`. `tell` is called with the name of an event and what it hands on. */
export function mount(place, options, tell) {
  const life = new AbortController()
  const { signal } = life
  for (const [name, [event, content]] of Object.entries(EVENTS))
    place.addEventListener(`svc-captcha:${event}`, ({ detail }) => tell(name, content(detail)), {
      signal,
    })

  const loaded = loadWidget(options.apiBase).then((svcCaptcha) => {
    // A component may leave before the script comes; React's StrictMode mounts twice.
    if (!signal.aborted) svcCaptcha.render(place, options)
    return svcCaptcha
  })
  loaded.catch(({ message }) => {
    if (!signal.aborted) tell('error', { code: 200, message, retryable: true, directives: [] })
  })
  const isThere = () => !signal.aborted && !!window.svcCaptcha
  return {
    execute: async (options) => (await loaded).execute(place, options),
    fetch: async (input, init) => (await loaded).fetch(input, { ...init, widget: place }),
    stepUp: async (ticket) => (await loaded).stepUp(place, ticket),
    getResponse: () => (isThere() ? window.svcCaptcha.getResponse(place) : ''),
    isExpired: () => isThere() && window.svcCaptcha.isExpired(place),
    reset: () =>
      void loaded.then((svcCaptcha) => signal.aborted || svcCaptcha.reset(place)).catch(() => {}),
    refused: () =>
      void loaded.then((svcCaptcha) => signal.aborted || svcCaptcha.refused(place)).catch(() => {}),
    remove() {
      life.abort()
      window.svcCaptcha?.remove(place)
    },
  }
}

/** The functions that a page may call on a component, whichever widget it has at that time. */
export const handleOf = (widget) => ({
  execute: (options) => widget().execute(options),
  fetch: (input, init) => widget().fetch(input, init),
  stepUp: (ticket) => widget().stepUp(ticket),
  getResponse: () => widget().getResponse(),
  isExpired: () => widget().isExpired(),
  reset: () => widget().reset(),
  refused: () => widget().refused(),
})
