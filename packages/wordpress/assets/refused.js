/**
 * Tells the box of a form that its token was refused: plug-ins that make forms send them by script, and the page stays.
 * Each plug-in says that a form was not accepted by an event of jQuery.
 */
;(function (jQuery) {
  const NOT_ACCEPTED = [
    'wpformsAjaxSubmitFailed',
    'fluentform_submission_failed',
    'forminator:form:submit:failed',
    // Elementor Pro, on its form.
    'error',
  ]
  jQuery(document).on(NOT_ACCEPTED.join(' '), ({ target }) => {
    const box = target.querySelector('.svc-captcha')
    if (box && window.svcCaptcha) {
      svcCaptcha.refused(box)
    }
  })
})(window.jQuery)
