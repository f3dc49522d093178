/**
 * The weights of the score: a table for each family in `rules/`, each row with its evidence, joined here. A change of
 * any weight, curve or bound bumps `MODEL.version`.
 *
 * Log-odds: +0.7 doubles the odds that a visit is human's, −0.7 halves them. A visit that shows nothing but honest work
 * stays at the base, below 0.5; a family that is missing adds nothing. No rule of the family `environment` can fail a
 * person alone: see the bounds. docs/design/risk.md says what was measured, and what nobody can tell by looking.
 */
import { AUTOMATION_RULES } from './rules/automation.ts'
import { ENVIRONMENT_RULES } from './rules/environment.ts'
import { HISTORY_RULES } from './rules/history.ts'
import { INPUT_RULES } from './rules/input.ts'
import { NETWORK_RULES } from './rules/network.ts'
import { KEY_RULES } from './rules/keys.ts'
import { PAGE_RULES } from './rules/page.ts'
import { POINTER_RULES } from './rules/pointer.ts'
import { PROOF_RULES } from './rules/proof.ts'
import { REQUEST_RULES } from './rules/request.ts'
import { SEEN_RULES } from './rules/seen.ts'
import { STEP_RULES } from './rules/step.ts'
import { WORK_RULES } from './rules/work.ts'
import type { Family, ScoreRule } from './score-rule.ts'

export const MODEL = {
  version: 10,
  /** A visit that shows nothing at all: 0.27. */
  base: -1,
  /** Least and most that a family may contribute. */
  bounds: {
    work: [-2.5, 0.5],
    automation: [-6, 0],
    environment: [-1.2, 0],
    input: [-4, 2.2],
    page: [-1.5, 0.5],
    request: [-5, 0.6],
    history: [-4, 0],
    network: [-2, 0],
    step: [-0.3, 1.2],
  } satisfies Record<Family, readonly [number, number]>,
} as const

export const RULES: readonly ScoreRule[] = [
  ...AUTOMATION_RULES,
  ...PROOF_RULES,
  ...INPUT_RULES,
  ...POINTER_RULES,
  ...KEY_RULES,
  ...PAGE_RULES,
  ...ENVIRONMENT_RULES,
  ...REQUEST_RULES,
  ...SEEN_RULES,
  ...WORK_RULES,
  ...NETWORK_RULES,
  ...HISTORY_RULES,
  ...STEP_RULES,
]
