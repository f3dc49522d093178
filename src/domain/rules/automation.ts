import type { ScoreRule } from '../score-rule.ts'

const count = (n: number | undefined): number => n ?? 0

/** What a driven browser cannot hide, or forgot to hide. RISK.md, section 1. */
export const AUTOMATION_RULES: readonly ScoreRule[] = [
  {
    id: 1,
    name: 'webdriver-true',
    family: 'automation',
    reason: 'automation',
    weight: -4,
    when: ({ signals }) => signals.automation?.webdriver === 1,
    evidence: 'RISK.md 1: default drivers; no simulated person. The standard asks drivers to say so (WebDriver, 4).',
  },
  {
    id: 2,
    name: 'webdriver-removed',
    family: 'automation',
    reason: 'automation',
    weight: -2,
    when: ({ signals }) => signals.automation?.webdriver === 2,
    evidence: 'RISK.md 1: clumsy removal leaves the property missing from its prototype.',
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
    evidence: 'RISK.md 1: headless with its default agent string or client hints.',
  },
  {
    id: 4,
    name: 'driver-artefacts',
    family: 'automation',
    reason: 'automation',
    weight: -3,
    when: ({ signals }) => count(signals.automation?.artefacts) > 0,
    evidence: 'RISK.md 1: `cdc_…`, `__pw…` left in the page by Selenium and some forks.',
  },
  {
    id: 5,
    name: 'natives-altered',
    family: 'automation',
    reason: 'automation',
    weight: -0.5,
    when: ({ signals }) => signals.automation?.altered === 1,
    evidence: 'RISK.md 1: stealth plug-ins; extensions of real people can do this too, so it weighs lightly.',
  },
  {
    id: 6,
    name: 'console-listener',
    family: 'automation',
    reason: 'automation',
    weight: -1.2,
    when: ({ signals }) => signals.automation?.console === 1,
    evidence:
      'RISK.md 1: drivers with the Runtime domain on; a person with developer tools open fires it too: never fails alone.',
  },
]
