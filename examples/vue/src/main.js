import { createApp, h, ref } from 'vue'
import { HumanVerification } from '@human-verification/client/vue'

/** Without a template, so that no compiler has to be loaded; a build would write the same as a single-file component. */
const SignUp = {
  setup() {
    const said = ref('')
    async function submit(event) {
      event.preventDefault()
      const fields = new URLSearchParams(new FormData(event.target, event.submitter))
      const answer = await fetch('/sign-up', { method: 'POST', body: fields }).catch(() => undefined)
      said.value = answer?.ok ? 'Thank you.' : 'We could not process your request. Please try again.'
    }
    return () =>
      h('form', { onSubmit: submit }, [
        h('p', h('label', ['Email ', h('input', { name: 'email', type: 'email', required: true })])),
        h(HumanVerification, {
          sitekey: 'hv_site_demopx-kFQkgnI3lniO4',
          action: 'sign-up',
          apiBase: 'http://127.0.0.1:8080/',
          onError: console.error,
        }),
        h('p', [h('button', 'Sign up'), ' ', h('output', said.value)]),
      ])
  },
}

createApp({
  setup() {
    const isOpen = ref(true)
    return () => [
      h('button', { onClick: () => (isOpen.value = !isOpen.value) }, isOpen.value ? 'Close' : 'Open'),
      isOpen.value && h(SignUp),
    ]
  },
}).mount('#root')
