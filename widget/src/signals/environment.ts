import type { WireSignals } from '../../../src/wire.ts'

/*
 * What the engine and its window are, whatever the agent string says: times of events say something on X11 only.
 * Nothing here tells visitors apart: no canvas, no WebGL, no fonts, no sound.
 */

export const environmentSignals = (): NonNullable<WireSignals['environment']> => ({
  engine: engine(),
  placed: Number(screenX !== 0 || screenY !== 0),
  ...(isSecureContext && { linuxEngine: Number(isLinuxEngine()) }),
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
 * Chromium shares pages on every system but Linux desktops (since 89; on macOS since 128), and knows the kind of the
 * network on phones: an agent string is changed with one call, what was compiled is not.
 */
const isLinuxEngine = (): boolean =>
  engine() === 1 && !('share' in navigator) && !('type' in ((navigator as { connection?: object }).connection ?? {}))
