'use client'
import { createElement, forwardRef, useEffect, useImperativeHandle, useRef } from 'react'
import { handleOf, mount } from './mount.js'

/** The widget as a component. Inside a form nothing more is needed: the token is one of the form's fields. */
export const HumanVerification = forwardRef(function HumanVerification(props, ref) {
  const { onToken, onExpired, onError, onStateChange, className, style, ...options } = props
  const place = useRef(null)
  const widget = useRef(null)
  // A new function is no reason for a new widget.
  const on = useRef({})
  useEffect(() => {
    on.current = { token: onToken, expired: onExpired, error: onError, statechange: onStateChange }
  })

  const wanted = JSON.stringify(options)
  useEffect(() => {
    widget.current = mount(place.current, JSON.parse(wanted), (name, content) =>
      on.current[name]?.(content),
    )
    return () => widget.current.remove()
  }, [wanted])
  useImperativeHandle(ref, () => handleOf(() => widget.current), [])
  return createElement('div', { ref: place, className, style })
})
