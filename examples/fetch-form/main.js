const form = document.querySelector('#sign-up')

// The widget holds a submit until its field has a token, so this runs when all is there: nothing to wait for.
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const said = form.querySelector('output')
  const fields = new URLSearchParams(new FormData(form, event.submitter))
  const answer = await fetch('/sign-up', { method: 'POST', body: fields }).catch(() => undefined)
  // The token is spent, whatever the answer was; the next submit brings a new one by itself.
  if (answer?.status === 422) window.svcCaptcha.refused(form.querySelector('.svc-captcha'))
  said.value = answer?.ok ? 'Thank you.' : 'We could not process your request. Please try again.'
})
