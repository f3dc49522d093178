/**
 * Adds the token to Elementor's atomic forms, whose script sends only fields with an attribute of its own, and tells the box
 * what came of it: the page stays.
 */
;(function () {
  const FORM = 'form[data-element_type="e-form"]'
  const FIELD = 'svc-response'
  const watched = new WeakSet()

  /** Elementor says by a class what came of an entry. */
  function tellBox(form) {
    const box = form.querySelector('.svc-captcha')
    if (form.classList.contains('form-state-error')) {
      svcCaptcha.refused(box)
    } else if (form.classList.contains('form-state-success')) {
      svcCaptcha.reset(box)
    }
  }

  function watch(form) {
    if (!watched.has(form)) {
      watched.add(form)
      new MutationObserver(() => tellBox(form)).observe(form, { attributeFilter: ['class'] })
    }
  }

  // In the capture phase: before the listener of the form.
  document.addEventListener(
    'submit',
    ({ target }) => {
      const field = target.matches(FORM) && target.querySelector(`[name="${FIELD}"]`)
      if (field) {
        field.dataset.interactionId = FIELD
        watch(target)
      }
    },
    true,
  )
})()
