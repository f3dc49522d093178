import type { WireSignals } from '../../../src/wire.ts'
import type { WorkerFacts } from '../worker.ts'

/** Facts of the browser that ought to agree with each other. Nothing here tells visitors apart. RISK.md, sections 1 and 3. */
export function environmentSignals(worker: WorkerFacts | undefined): NonNullable<WireSignals['environment']> {
  const { languages, hardwareConcurrency, maxTouchPoints, userAgent, platform } = navigator
  const isWhole = screen.width === outerWidth && screen.height === outerHeight && screen.availHeight === screen.height
  const agrees = platformAgrees(userAgent, platform)
  return {
    languages: small(languages.length),
    cores: small(hardwareConcurrency),
    touchPoints: small(maxTouchPoints),
    windowed: Number(!isWhole),
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
