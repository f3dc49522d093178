import type { WireSignals } from '../../../src/wire.ts'

/*
 * What the engine and its window are, whatever the agent string says: times of events say something on X11 only.
 * Nothing here tells visitors apart: no canvas, no WebGL, no fonts, no sound.
 */

export const environmentSignals = (): NonNullable<WireSignals['environment']> => ({
  engine: engine(),
  placed: Number(screenX !== 0 || screenY !== 0),
  ...(isSecureContext && desktopSignals()),
})

/** By what only one engine can: 1 Blink, 2 Gecko, 3 WebKit, 0 none of them for sure. */
function engine(): number {
  const { style } = document.documentElement
  const features = [
    'webkitAppRegion' in style,
    'mozInnerScreenX' in window,
    'webkitTouchCallout' in style || 'safari' in window,
  ]
  return features.filter(Boolean).length === 1 ? features.indexOf(true) + 1 : 0
}

/**
 * An agent string is changed with one call, what was compiled is not: Chromium knows the kind of the network on phones, picks
 * colours on desktops (since 95), and shares pages on every system but Linux desktops (since 89; on macOS since 128).
 */
function desktopSignals() {
  const isDesktop = engine() === 1 && !('type' in ((navigator as { connection?: object }).connection ?? {}))
  return {
    desktop: Number(isDesktop && 'EyeDropper' in window),
    linuxEngine: Number(isDesktop && !('share' in navigator)),
  }
}
