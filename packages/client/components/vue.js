import { defineComponent, h, onBeforeUnmount, onMounted, ref, watch } from 'vue'
import { handleOf, mount, OPTIONS } from './mount.js'

/** The widget as a component. Inside a form nothing more is needed: the token is one of the form's fields. */
export const HumanVerification = defineComponent({
  name: 'HumanVerification',
  props: OPTIONS,
  emits: ['token', 'expired', 'error', 'statechange'],
  setup(props, { emit, expose }) {
    const place = ref()
    let widget
    const start = () => {
      widget = mount(place.value, { ...props }, emit)
    }

    onMounted(start)
    onBeforeUnmount(() => widget.remove())
    // Text: a new object with the same options is no reason for a new widget.
    watch(
      () => JSON.stringify(props),
      () => {
        widget.remove()
        start()
      },
    )
    expose(handleOf(() => widget))
    return () => h('div', { ref: place })
  },
})
