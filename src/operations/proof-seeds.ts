import type { ChallengeClaims } from '../claims/challenge.ts'
import type { Tokens } from '../claims/tokens.ts'

/** Derives the seeds of a challenge's proof tasks: one set, or two for the second visit of a step-up. */
export function proofSeeds(
  tokens: Tokens,
  { jti, kid, step }: Pick<ChallengeClaims, 'jti' | 'kid' | 'step'>,
): Buffer[] {
  const first = tokens.derive('proof', jti, kid)
  return step === undefined ? [first] : [first, tokens.derive('proof', `${jti}.2`, kid)]
}
