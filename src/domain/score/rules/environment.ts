import { isChromium, isPhone, systemOf } from '../agents.ts'
import type { ScoreRule } from '../score-rule.ts'

const count = (n: number | undefined): number => n ?? 0

/** Rules on whether the browser's accounts of itself agree. Bounded: none of it fails a person alone. docs/design/risk.md, "People who must not pay". */
export const ENVIRONMENT_RULES: readonly ScoreRule[] = [
  {
    id: 30,
    name: 'agent-and-platform-differ',
    family: 'environment',
    reason: 'environment',
    weight: -0.8,
    when: ({ signals }) => signals.environment?.platformAgrees === 0,
    evidence:
      "docs/design/risk.md#spoofed-agent: spoofed agents; privacy settings of real people too, so it can't fail alone.",
  },
  {
    id: 31,
    name: 'worker-and-window-differ',
    family: 'environment',
    reason: 'environment',
    weight: -1,
    when: ({ signals }) => signals.environment?.workerAgrees === 0,
    evidence: 'docs/design/risk.md#spoofed-agent: stealth plug-ins patch the window and forget the worker.',
  },
  {
    id: 32,
    name: 'window-is-screen',
    family: 'environment',
    reason: 'environment',
    weight: -0.3,
    when: ({ signals }) => signals.environment?.windowed === 0 && count(signals.environment.touchPoints) === 0,
    evidence: 'docs/design/risk.md#window: headless; kiosks and tablets too: weak.',
  },
  {
    id: 115,
    name: 'system-is-another',
    family: 'environment',
    reason: 'environment',
    weight: -0.8,
    when: ({ signals, request: { userAgent } }) =>
      signals.environment?.linuxEngine === 1 &&
      isChromium(userAgent) &&
      // The device toolbar of open developer tools poses too, and those are one cause that weighs already.
      signals.automation?.console !== 1 &&
      ['Windows', 'macOS', 'Android'].includes(systemOf(userAgent) ?? ''),
    evidence:
      'An agent string of another system on an engine that was compiled for Linux desktops (no sharing, no kind of network): drivers that pose; privacy extensions that do the same, and macOS before Chrome 128: it never fails alone.',
  },
  {
    id: 110,
    name: 'language-differs',
    family: 'environment',
    reason: 'environment',
    weight: -0.3,
    when: ({ signals }) => signals.environment?.languageAgrees === 0,
    evidence: 'docs/design/risk.md#languages: a language put on the window by a driver, and forgotten in the list.',
  },
  {
    id: 111,
    name: 'zone-differs',
    family: 'environment',
    reason: 'environment',
    weight: -0.5,
    when: ({ signals }) => signals.environment?.zoneAgrees === 0,
    evidence:
      'docs/design/risk.md#languages: a time zone replaced in one place only. Browsers against fingerprinting replace it in both.',
  },
  {
    id: 112,
    name: 'nothing-but-the-page',
    family: 'environment',
    reason: 'environment',
    weight: -0.3,
    when: ({ signals, request }) =>
      signals.environment?.framed === 0 && signals.environment.touchPoints === 0 && !isPhone(request.userAgent),
    evidence:
      'docs/design/risk.md#window: headless windows have no bars; kiosks, installed pages and full screens neither: weak.',
  },
  {
    id: 113,
    name: 'no-pointing-device',
    family: 'environment',
    reason: 'environment',
    weight: -0.4,
    when: ({ signals }) =>
      signals.environment?.pointers === 0 && (signals.input?.moves ?? 0) - (signals.input?.touches ?? 0) > 0,
    evidence:
      'docs/design/risk.md#window: headless; a pointer that moves without a device. People without a pointer move none.',
  },
  {
    id: 114,
    name: 'no-language',
    family: 'environment',
    reason: 'environment',
    weight: -0.4,
    when: ({ signals }) => signals.environment?.languages === 0,
    evidence: 'docs/design/risk.md#languages: every browser has a language; some headless ones do not.',
  },
]
