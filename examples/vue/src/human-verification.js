import { h, onBeforeUnmount, onMounted, useTemplateRef } from 'vue'
import { loadWidget } from './load-widget.js'

/** The widget as a component. Inside a form nothing more is needed: the token is one of the form's fields. */
export const HumanVerification = {
  props: { sitekey: String, action: String, apiBase: String },
  emits: ['failed'],
  setup(props, { emit }) {
    const place = useTemplateRef('place')
    let isGone = false
    let widget
    let id

    onMounted(async () => {
      try {
        const svcCaptcha = await loadWidget(props.apiBase)
        // It may have left before the script came.
        if (isGone) return
        widget = svcCaptcha
        id = svcCaptcha.render(place.value, { ...props })
      } catch (error) {
        emit('failed', error)
      }
    })
    onBeforeUnmount(() => {
      isGone = true
      widget?.remove(id)
    })
    return () => h('div', { ref: 'place' })
  },
}
