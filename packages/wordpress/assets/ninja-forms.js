/**
 * Gives each entry of Ninja Forms a token. Its script asks whether it may send a form, and cannot wait for the answer: it is told
 * no, and to send again when the token is there.
 */
;(function (jQuery) {
  const ERROR = 'human-verification'
  const FIELD = 'svc-response'

  jQuery(document).on('nfFormReady', (event, { model }) => {
    const id = model.get('id')
    const form = window.nfRadio.channel(`form-${id}`)
    const box = () => document.querySelector(`#nf-form-${id}-cont ~ .svc-captcha`)

    async function sendWithToken() {
      // Without a token the answer says that the form was not accepted.
      const token = await svcCaptcha.execute(box()).catch(() => '')
      form.request('add:extra', FIELD, token)
      form.request('submit', model)
    }

    form.reply('maybe:submit', () => {
      const hasToken = form.request('get:extra', FIELD) !== undefined
      if (!hasToken) {
        form.request('remove:error', ERROR)
        sendWithToken()
      }
      return hasToken
    })
    form.on('submit:failed submit:response', ({ errors }) => {
      form.request('remove:extra', FIELD)
      if (errors?.form?.[ERROR]) {
        svcCaptcha.refused(box())
      }
    })
  })
})(window.jQuery)
