import type { ScoreRule } from '../score-rule.ts'

/**
 * Rules on whether a real engine stood behind the visit: the tasks of domain/proof/. The one part of a summary that cannot be
 * made up beforehand, so what a client says without it must not matter: these weights outdo the most that all other
 * families can give together (test/rooms/domain/proof/proof.test.ts does the sum).
 */
export const PROOF_RULES: readonly ScoreRule[] = [
  {
    id: 180,
    name: 'proof-missing',
    family: 'automation',
    reason: 'automation',
    weight: -4.5,
    // Without our second script there is nothing to answer with, and nothing else of the summary is believed either.
    when: ({ proof, signals }) => proof !== undefined && proof.is !== 'answered' && signals.page?.bare !== 1,
    evidence:
      'docs/design/risk.md#no-engine: no script engine result at all: plain HTTP clients, replayed summaries. The widget always has one, and says so where its second script is blocked.',
  },
  {
    id: 181,
    name: 'proof-one-wrong',
    family: 'automation',
    reason: 'automation',
    weight: -0.5,
    when: ({ proof }) => proof?.is === 'answered' && proof.wrong === 1,
    evidence:
      'Never seen in Chromium 156 and Firefox 153 (docs/design/proof.md). One kind of task may be spoilt for a person by an old engine, an extension or a page that patches the DOM: it does not fail anybody.',
  },
  {
    id: 182,
    name: 'proof-wrong',
    family: 'automation',
    reason: 'automation',
    weight: -4.5,
    when: ({ proof }) => proof?.is === 'answered' && proof.wrong > 1,
    evidence:
      'jsdom and happy-dom: at least three of five wrong in every set, for they lay nothing out (docs/design/proof.md).',
  },
]
