import type { Explanation } from '../score/explanation.ts'
import { RULES } from '../score/rules.ts'
import { STEP_LIFTS_TO } from '../score/score.ts'
import type { Io } from './io.ts'

/** Wide enough for the longest name of a rule, and for the marks beside it. */
const NAME = Math.max(...RULES.map(({ name }) => name.length)) + 4

/** An explanation for people: a column of log-odds that adds up, from the base down to the score. */
export function explanationText(explanation: Explanation, { styled }: Pick<Io, 'styled'>): string {
  const lines = [
    `model ${explanation.model}, ${explanation.weights === '' ? 'weights as released' : `changed weights ${explanation.weights}`}`,
    '',
    row('base', explanation.base),
  ]
  for (const { family, contributions, sum, kept: net } of explanation.families) {
    lines.push(row(family, net, family === 'step' ? lifted(sum, net) : clip(sum, net)))
    for (const { name, reason, strength, value } of contributions) {
      const how = strength === 1 ? '' : ` at strength ${strength}`
      lines.push(`    ${name.padEnd(NAME)} ${signed(value).padStart(6)}   ${reason}${how}`)
    }
  }
  if (explanation.cappedTo !== undefined) lines.push(row('capped to', explanation.cappedTo))
  if (explanation.rule)
    lines.push(
      row(`rule ${explanation.rule.name}`, explanation.rule.kind === 'adjust' ? explanation.rule.score : undefined),
    )
  lines.push(
    row('log-odds', explanation.logOdds),
    '',
    total(explanation),
    `reasons: ${explanation.reasons.join(', ') || 'none'}`,
  )
  if (explanation.stepUp) lines.push(stepText(explanation.stepUp))
  for (const doubt of explanation.doubts) lines.push(styled('red', `not reproduced: ${doubt}`))
  if (explanation.doubts.length === 0) lines.push(styled('green', `reproduced: ${explanation.again}`))
  return lines.join('\n')
}

function total({ score, threshold, rule, logOdds }: Explanation): string {
  const how =
    rule?.kind === 'allow' || rule?.kind === 'deny'
      ? `the rule ${rule.name} says ${rule.kind}`
      : `1 / (1 + e^${signed(-logOdds)})`
  const passes = rule?.kind !== 'deny' && score >= threshold
  return `score ${score} = ${how}; threshold ${threshold}: ${passes ? 'passes' : 'refused'}`
}

function stepText({ first, carried }: NonNullable<Explanation['stepUp']>): string {
  const taken = carried.length === 0 ? '' : `, and this was carried over from it: ${carried.join(', ')}`
  return `second visit of a step-up; the first one scored ${first}${taken}`
}

const clip = (sum: number, net: number): string =>
  sum === net ? '' : `of ${signed(sum)}, clipped by its ${net > sum ? 'lower' : 'upper'} bound`

const lifted = (sum: number, net: number): string =>
  sum === net ? '' : `of ${signed(sum)}, which lifts up to ${signed(STEP_LIFTS_TO)}`

const row = (name: string, value: number | undefined, note = ''): string =>
  `${`  ${name.padEnd(NAME + 3)} ${value === undefined ? '' : signed(value).padStart(6)}`.trimEnd()}${note === '' ? '' : `   ${note}`}`

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`
