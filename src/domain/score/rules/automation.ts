import { isChromium, isFirefox } from '../agents.ts'
import type { ScoreRule } from '../score-rule.ts'
import { contradictions } from '../contradictions.ts'

const count = (n: number | undefined): number => n ?? 0

/** Traces that a driven browser cannot hide, or forgot to hide. docs/design/risk.md, "Engine and driver". */
export const AUTOMATION_RULES: readonly ScoreRule[] = [
  {
    id: 1,
    name: 'webdriver-true',
    family: 'automation',
    reason: 'automation',
    weight: -4,
    when: ({ signals }) => signals.automation?.webdriver === 1,
    evidence:
      'docs/design/risk.md#webdriver: default drivers; no simulated person. The standard asks drivers to say so (WebDriver, 4).',
  },
  {
    id: 2,
    name: 'webdriver-removed',
    family: 'automation',
    reason: 'automation',
    weight: -2,
    when: ({ signals }) => signals.automation?.webdriver === 2,
    evidence: 'docs/design/risk.md#webdriver: clumsy removal leaves the property missing from its prototype.',
  },
  {
    id: 3,
    name: 'headless-agent',
    family: 'automation',
    reason: 'automation',
    weight: -3,
    when: ({ signals, request }) =>
      signals.automation?.headless === 1 ||
      /Headless/.test(request.userAgent) ||
      /Headless/.test(request.clientHints ?? ''),
    evidence: 'docs/design/risk.md#headless: headless with its default agent string or client hints.',
  },
  {
    id: 4,
    name: 'driver-artefacts',
    family: 'automation',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.automation?.artefacts) > 0,
    evidence: 'docs/design/risk.md#artefacts: `cdc_…`, `__pw…` left in the page by Selenium and some forks.',
  },
  {
    id: 5,
    name: 'natives-altered',
    family: 'automation',
    reason: 'automation',
    weight: -1,
    when: ({ signals }) => count(signals.automation?.altered) / 4,
    evidence:
      'docs/design/risk.md#natives: stealth plug-ins replace several; an extension of a real person one or two, so that weighs lightly.',
  },
  {
    id: 6,
    name: 'console-listener',
    family: 'automation',
    reason: 'automation',
    weight: -1.2,
    when: ({ signals }) => signals.automation?.console === 1,
    evidence:
      'docs/design/risk.md#runtime-domain: drivers with the Runtime domain on; a person with developer tools open fires it too: never fails alone.',
  },
  {
    id: 7,
    name: 'worker-console-listener',
    family: 'automation',
    reason: 'automation',
    weight: -1.2,
    // With developer tools open both fire, and that is one cause.
    when: ({ signals }) => signals.automation?.workerConsole === 1 && signals.automation.console !== 1,
    evidence: 'docs/design/risk.md#runtime-domain: the same inside a worker, which patched drivers forget.',
  },
  {
    id: 8,
    name: 'webdriver-own',
    family: 'automation',
    reason: 'automation',
    weight: -2,
    when: ({ signals }) => signals.automation?.ownWebdriver === 1,
    evidence:
      'docs/design/risk.md#webdriver: it stands on the prototype in every engine (WebDriver, 4); who defines it anew hides something.',
  },
  {
    id: 9,
    name: 'scripts-without-address',
    family: 'automation',
    reason: 'automation',
    weight: -1,
    when: ({ signals }) => count(signals.automation?.scripted) / 3,
    evidence:
      'docs/design/risk.md#foreign-frames: drivers that evaluate in the page; user scripts of real people too: light, and only in full for several.',
  },
  {
    id: 60,
    name: 'granted-unasked',
    family: 'automation',
    reason: 'automation',
    weight: -0.4,
    when: ({ signals }) => signals.automation?.granted === 1,
    evidence:
      'docs/design/risk.md#granted: drivers that grant everything; a shop that asked for the position once, too.',
  },
  {
    id: 61,
    name: 'summary-contradicts-itself',
    family: 'automation',
    reason: 'automation',
    weight: -4,
    when: ({ signals }) => contradictions(signals) / 2,
    evidence: 'Counts and roundings that the widget cannot have made (contradictions.ts): the summary was made up.',
  },
  {
    id: 62,
    name: 'engine-is-another',
    family: 'automation',
    reason: 'automation',
    weight: -1,
    when: ({ signals, request }) => {
      const engine = signals.environment?.engine
      if (!engine) return false
      return (isChromium(request.userAgent) && engine !== 1) || (isFirefox(request.userAgent) && engine !== 2)
    },
    evidence:
      'docs/design/risk.md#spoofed-agent: spoofed agents. Privacy extensions offer other agents too: it cannot fail alone.',
  },
]
