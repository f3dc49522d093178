import { type Weights, changedWeights } from '../../src/score/weights.ts'

/**
 * Weights under which a driven browser is a visitor whom nothing speaks against, and little for: its first visit scores
 * below 0.5, and a step lifts it above.
 */
export const UNSURE: Weights = changedWeights({
  bounds: {
    automation: [0, 0],
    input: [0, 0],
    request: [0, 0.6],
    page: [0, 0.3],
    history: [0, 0],
    work: [0, 0],
  },
})
