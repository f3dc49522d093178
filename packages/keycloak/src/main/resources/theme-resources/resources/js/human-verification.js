// Puts the widget above the button of Keycloak's form. Keycloak's templates have no place for it, and a page may
// have only the address of a script: its query names the service, the sitekey and the action.
{
  const FORMS = new Map([
    ['login', 'kc-form-login'],
    ['registration', 'kc-register-form'],
    ['reset-credentials', 'kc-reset-password-form'],
  ])
  const given = new URL(document.currentScript.src).searchParams

  document.addEventListener('DOMContentLoaded', () => {
    const form = document.getElementById(FORMS.get(given.get('action')))
    const button = form?.querySelector('[type="submit"]')
    if (!button || form.querySelector('.svc-captcha')) return
    const box = document.createElement('div')
    box.className = 'svc-captcha'
    box.dataset.sitekey = given.get('sitekey')
    box.dataset.action = given.get('action')
    box.dataset.size = 'flexible'
    // By this name Keycloak does not take the token for an attribute of a user.
    box.dataset.responseFieldName = 'g-recaptcha-response'
    let part = button
    while (part.parentElement !== form) part = part.parentElement
    part.before(box)
    // Loaded by the page itself, a service that is slow would hold up the form.
    const script = document.createElement('script')
    script.src = `${given.get('service').replace(/\/$/, '')}/assets/captcha.js?v=1`
    document.head.append(script)
  })
}
