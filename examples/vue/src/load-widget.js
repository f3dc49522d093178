let loading

/** Loads the script of the widget, once for the whole page. Resolves with `window.svcCaptcha`. */
export function loadWidget(apiBase) {
  loading ??= new Promise((resolve, reject) => {
    if (window.svcCaptcha) return resolve(window.svcCaptcha)
    const script = document.createElement('script')
    script.src = `${apiBase}assets/captcha.js?v=1`
    script.addEventListener('load', () => resolve(window.svcCaptcha))
    script.addEventListener('error', () => {
      // The next component that needs it tries again.
      loading = undefined
      script.remove()
      reject(new Error(`${script.src} could not be loaded`))
    })
    document.head.append(script)
  })
  return loading
}
