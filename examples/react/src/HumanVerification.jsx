import { useEffect, useRef } from 'react'
import { loadWidget } from './load-widget.js'

/** The widget as a component. Inside a form nothing more is needed: the token is one of the form's fields. */
export function HumanVerification({ sitekey, action, apiBase, onFailed }) {
  const place = useRef(null)

  useEffect(() => {
    let isGone = false
    let widget
    let id
    loadWidget(apiBase)
      .then((svcCaptcha) => {
        // StrictMode mounts twice, and a component may leave before the script comes.
        if (isGone) return
        widget = svcCaptcha
        id = svcCaptcha.render(place.current, { sitekey, action, apiBase })
      })
      .catch((error) => onFailed?.(error))
    return () => {
      isGone = true
      widget?.remove(id)
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a new function is no reason for a new widget
  }, [sitekey, action, apiBase])

  return <div ref={place} />
}
