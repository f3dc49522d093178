import type { ScoreRule } from '../score-rule.ts'

/**
 * Whether a real engine stood behind the visit: the tasks of domain/proof/. The one part of a summary that cannot be
 * made up beforehand, so what a client says without it must not matter: these weights outdo the most that all other
 * families can give together (test/domain/proof.test.ts does the sum).
 */
export const PROOF_RULES: readonly ScoreRule[] = [
  {
    id: 180,
    name: 'proof-missing',
    family: 'automation',
    reason: 'automation',
    weight: -4.5,
    when: ({ proof }) => proof !== undefined && proof.is !== 'answered',
    evidence:
      'RISK.md 1: no script engine result at all: plain HTTP clients, replayed summaries. The widget always has one; where our second script is blocked, there is nothing else to show either.',
  },
  {
    id: 181,
    name: 'proof-one-wrong',
    family: 'automation',
    reason: 'automation',
    weight: -0.5,
    when: ({ proof }) => proof?.is === 'answered' && proof.wrong === 1,
    evidence:
      'Never seen in Chromium 156 and Firefox 153 (docs/proof.md). One kind of task may be spoilt for a person by an old engine, an extension or a page that patches the DOM: it does not fail anybody.',
  },
  {
    id: 182,
    name: 'proof-wrong',
    family: 'automation',
    reason: 'automation',
    weight: -4.5,
    when: ({ proof }) => proof?.is === 'answered' && proof.wrong > 1,
    evidence:
      'jsdom and happy-dom: at least three of five wrong in every set, for they lay nothing out (docs/proof.md).',
  },
]
