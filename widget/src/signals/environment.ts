import type { WireSignals } from '../../../src/wire.ts'
import type { WorkerFacts } from '../worker-messages.ts'

/*
 * Facts of the browser that ought to agree with each other.
 *
 * Why: who pretends to be another browser forgets one of the places where it says what it is.
 * Who could be hurt: privacy browsers and extensions pretend too. The family is bounded so that all of it together fails
 * nobody who shows a trusted event. Nothing here tells visitors apart: no canvas, no WebGL, no fonts, no sound.
 * Measured: docs/design/risk.md, "Agent and environment".
 */

type EnvironmentSignals = NonNullable<WireSignals['environment']>

export function environmentSignals(worker: WorkerFacts | undefined): EnvironmentSignals {
  const { languages, language, hardwareConcurrency, maxTouchPoints, userAgent, platform } = navigator
  const isWhole = screen.width === outerWidth && screen.height === outerHeight && screen.availHeight === screen.height
  const agrees = platformAgrees(userAgent, platform)
  return {
    languages: small(languages.length),
    languageAgrees: Number(languages[0] === language),
    cores: small(hardwareConcurrency),
    touchPoints: small(maxTouchPoints),
    windowed: Number(!isWhole),
    framed: Number(outerHeight > innerHeight),
    pointers: matchMedia('(any-pointer: fine)').matches ? 2 : Number(matchMedia('(any-pointer: coarse)').matches),
    engine: engine(),
    zoneAgrees: Number(zoneAgrees(new Date())),
    placed: Number(screenX !== 0 || screenY !== 0),
    ...(isSecureContext && { linuxEngine: Number(isLinuxEngine()) }),
    ...(agrees !== undefined && { platformAgrees: Number(agrees) }),
    ...(worker && {
      workerAgrees: Number(
        worker.agent === userAgent &&
          worker.platform === platform &&
          worker.languages === String(languages) &&
          worker.cores === hardwareConcurrency,
      ),
    }),
  }
}

const small = (n: number): number => Math.min(32, Math.max(0, Math.round(n) || 0))

const SYSTEMS: readonly (readonly [agent: RegExp, platform: RegExp])[] = [
  [/Windows/, /^Win/],
  [/Android/, /Linux|Android/],
  [/iPhone|iPad|iPod/, /^iP|^Mac/],
  [/Mac OS X/, /^Mac|^iP/],
  [/CrOS|Linux|X11/, /Linux|CrOS|BSD/],
]

/** @returns undefined where the agent names no system we know. */
export function platformAgrees(agent: string, platform: string): boolean | undefined {
  return SYSTEMS.find(([system]) => system.test(agent))?.[1].test(platform)
}

/** By what only one engine can: 1 Blink, 2 Gecko, 3 WebKit, 0 none of them for sure. */
function engine(): number {
  const style = document.documentElement.style
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

/** Tells whether the clock and the formatter mean the same zone, now and half a year ago. */
function zoneAgrees(now: Date): boolean {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  // Swedish dates are those of ISO 8601: 2026-11-24 06:51:28.
  const off = (date: Date): number =>
    (Number(date) - Date.parse(`${date.toLocaleString('sv', { timeZone }).replace(' ', 'T')}Z`)) / 60_000
  return [now, new Date(Number(now) - 182 * 86_400_000)].every(
    (date) => Math.abs(off(date) - date.getTimezoneOffset()) <= 1,
  )
}
