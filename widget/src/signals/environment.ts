import type { WireSignals } from '../../../src/wire.ts'

/** Returns what the engine and its window are, whatever the user agent says. Nothing here distinguishes visitors: no canvas, no fonts. */
export const environmentSignals = (): NonNullable<WireSignals['environment']> => ({
  engine: engine(),
  placed: Number(screenX !== 0 || screenY !== 0),
  ...(isSecureContext && desktopSignals()),
})

/** Returns 1 for Blink, 2 for Gecko, 3 for WebKit, by features that one of them has; 0 if unsure. */
function engine(): number {
  const { style } = document.documentElement
  const features = [
    'webkitAppRegion' in style,
    'mozInnerScreenX' in window,
    'webkitTouchCallout' in style || 'safari' in window,
  ]
  return features.filter(Boolean).length === 1 ? features.indexOf(true) + 1 : 0
}

/** Chromium has `connection.type` on phones, `EyeDropper` on desktops (95), `share` everywhere (89; macOS 128) but on Linux desktops. */
function desktopSignals() {
  const isDesktop =
    engine() === 1 && !('type' in ((navigator as { connection?: object }).connection ?? {}))
  return {
    desktop: Number(isDesktop && 'EyeDropper' in window),
    linuxEngine: Number(isDesktop && !('share' in navigator)),
  }
}
