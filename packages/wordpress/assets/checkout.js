/**
 * Gives each order that this page places by WooCommerce's Store API a token: those of the checkout block, and those of
 * buttons for express payments.
 */
;(function ({ apiFetch }, { service, sitekey, action }) {
  const PATH_OF_ORDERS = /\/wc\/store(\/v\d+)?\/checkout/

  /** Loads the widget where the page has no box of a form. */
  const isLoaded = new Promise((resolve, reject) => {
    if (window.svcCaptcha || document.querySelector('.svc-captcha')) {
      return document.readyState === 'complete'
        ? resolve()
        : window.addEventListener('load', resolve)
    }
    const script = document.createElement('script')
    script.src = `${service}/assets/captcha.js`
    script.addEventListener('load', resolve)
    script.addEventListener('error', () =>
      reject(new Error('The check of this form is temporarily unavailable.')),
    )
    document.head.append(script)
  })
  // The order tells the visitor.
  isLoaded.catch(() => {})

  /** Returns the box of the checkout, or one that is not seen. */
  function boxOfCheckout() {
    const box = document.querySelector(`.svc-captcha[data-action="${action}"]`)
    if (box) {
      return box
    }
    const unseen = document.createElement('div')
    unseen.className = 'svc-captcha'
    Object.assign(unseen.dataset, { sitekey, action, apiBase: `${service}/`, size: 'invisible' })
    document.body.append(unseen)
    return unseen
  }

  function isOrder({ path, url, method }) {
    return (
      'POST' === method?.toUpperCase() && PATH_OF_ORDERS.test(decodeURIComponent(path ?? url ?? ''))
    )
  }

  function withToken(data, token) {
    const extensions = { ...data?.extensions, 'human-verification': { token } }
    return { ...data, extensions }
  }

  apiFetch.use(async (options, next) => {
    if (!isOrder(options)) {
      return next(options)
    }
    await isLoaded
    const box = boxOfCheckout()
    svcCaptcha.render(box)
    const token = await svcCaptcha.execute(box)
    try {
      return await next({ ...options, data: withToken(options.data, token) })
    } catch (error) {
      svcCaptcha.refused(box)
      throw error
    }
  })
})(window.wp, window.hvCheckout)
