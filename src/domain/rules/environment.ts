import type { ScoreRule } from '../score-rule.ts'

const count = (n: number | undefined): number => n ?? 0

/** Whether the browser's accounts of itself agree. Bounded: none of it fails a person alone. RISK.md, section 3. */
export const ENVIRONMENT_RULES: readonly ScoreRule[] = [
  {
    id: 30,
    name: 'agent-and-platform-differ',
    family: 'environment',
    reason: 'environment',
    weight: -0.8,
    when: ({ signals }) => signals.environment?.platformAgrees === 0,
    evidence: "RISK.md 1: spoofed agents; privacy settings of real people too, so it can't fail alone.",
  },
  {
    id: 31,
    name: 'worker-and-window-differ',
    family: 'environment',
    reason: 'environment',
    weight: -1,
    when: ({ signals }) => signals.environment?.workerAgrees === 0,
    evidence: 'RISK.md 1: stealth plug-ins patch the window and forget the worker.',
  },
  {
    id: 32,
    name: 'window-is-screen',
    family: 'environment',
    reason: 'environment',
    weight: -0.3,
    when: ({ signals }) => signals.environment?.windowed === 0 && count(signals.environment.touchPoints) === 0,
    evidence: 'RISK.md 1: headless; kiosks and tablets too: weak.',
  },
]
