import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { ConfigError } from '../schema/problem.ts'
import { type DecisionRecord, formatLogOdds } from '../score/decision-record.ts'
import { RULES } from '../score/rules.ts'
import { STEP_LIFTS_TO } from '../score/score.ts'
import type { Weights } from '../domain/weights.ts'
import { RELEASED } from '../score/weight-changes.ts'
import { configOf, configOption, define, jsonOption, print, Problem } from './command.ts'
import { type Explanation, explainRecord, readDecision } from './explanation.ts'
import { EXIT, type Io } from './io.ts'

/** `hv explain`: a score, each part of it, and whether the parts give it. */
export const explainCommand = (io: Io) =>
  define('explain', {
    summary: 'explain a score from the log: each contribution, and the score computed again',
    about: `Prints the contributions to a score and computes it again. Reads the service's log, or a single line of it: the first decision found, or the decision of the visit with this JTI (the id of its token). Values are log-odds: +0.7 doubles the odds that the visitor is a person. docs/design/scoring.md has every rule.`,
    examples: [
      'hv explain AAAAAAAAAAAAAAAAAAAAAA --log service.log',
      'grep decision service.log | tail -1 | hv explain',
      'hv explain --json < decision.json',
    ],
    fails: 'the score is not reproduced, or there is nothing to explain',
  })
    .argument('[JTI]')
    .option('--log <FILE>', 'the log; -: standard input', '-')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (jti, { log, config, json }) => {
      const record = await findDecision(
        log === '-' ? io.stdin : createReadStream(resolve(io.cwd, log)),
        jti,
      )
      if (!record) {
        throw new Problem(
          `no decision${jti === undefined ? '' : ` of ${jti}`} in ${log === '-' ? 'standard input' : log}`,
        )
      }
      const explanation = explainRecord(record, weightsOf(record, io, config))
      print(io, json, explanation, () => explanationText(explanation, io))
      if (explanation.doubts.length > 0) io.exitCode = EXIT.problems
    })

/** Finds the first decision in a log, or the one of this token id. A line may be a whole log line or its `decision` alone. */
async function findDecision(
  input: Readable,
  jti: string | undefined,
): Promise<DecisionRecord | undefined> {
  for await (const text of createInterface({ input, crlfDelay: Infinity })) {
    if (jti !== undefined && !text.includes(jti)) continue
    const line = parse(text)
    if (jti !== undefined && line?.['jti'] !== jti) continue
    const record = readDecision(line?.['decision'] ?? line)
    if (record) return record
  }
  return undefined
}

/** The weights that the record names, where they are known here. Without them its own figures still add up, or do not. */
function weightsOf(
  { weights: hash = '' }: DecisionRecord,
  io: Io,
  file: string | undefined,
): Weights | undefined {
  if (hash === RELEASED.hash) return RELEASED
  try {
    return configOf(file, io).sites.find(({ weights }) => weights.hash === hash)?.weights
  } catch (error) {
    // A configuration that was named must be good; the default one need not exist.
    if (file === undefined && error instanceof ConfigError) return undefined
    throw error
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Wide enough for the longest name of a rule. */
const NAME_WIDTH = Math.max(...RULES.map(({ name }) => name.length)) + 4

/** An explanation for people: a column of log-odds that adds up, from the base down to the score. */
function explanationText(explanation: Explanation, { styled }: Pick<Io, 'styled'>): string {
  const { model, weights, rule } = explanation
  const weightsText = weights === '' ? 'weights as released' : `changed weights ${weights}`
  const lines = [`model ${model}, ${weightsText}`, '', row('base', explanation.base)]
  for (const { family, contributions, sum, kept: net } of explanation.families) {
    lines.push(row(family, net, family === 'step' ? liftNote(sum, net) : clipNote(sum, net)))
    for (const { name, reason, strength, value } of contributions) {
      const how = strength === 1 ? '' : ` at strength ${strength}`
      lines.push(
        `    ${name.padEnd(NAME_WIDTH)} ${formatLogOdds(value).padStart(6)}   ${reason}${how}`,
      )
    }
  }
  if (explanation.cappedTo !== undefined) lines.push(row('capped to', explanation.cappedTo))
  if (rule) lines.push(ruleRow(rule))
  lines.push(
    row('log-odds', explanation.logOdds),
    '',
    total(explanation),
    `reasons: ${explanation.reasons.join(', ') || 'none'}`,
  )
  if (explanation.stepUp) lines.push(stepText(explanation.stepUp))
  for (const doubt of explanation.doubts) lines.push(styled('red', `not reproduced: ${doubt}`))
  if (explanation.doubts.length === 0)
    lines.push(styled('green', `reproduced: ${explanation.again}`))
  return lines.join('\n')
}

const ruleRow = (rule: NonNullable<Explanation['rule']>): string =>
  row(`rule ${rule.name}`, rule.kind === 'adjust' ? rule.score : undefined)

function total({ score, threshold, rule, logOdds }: Explanation): string {
  const how =
    rule?.kind === 'allow' || rule?.kind === 'deny'
      ? `the rule ${rule.name} says ${rule.kind}`
      : `1 / (1 + e^${formatLogOdds(-logOdds)})`
  const passes = rule?.kind !== 'deny' && score >= threshold
  return `score ${score} = ${how}; threshold ${threshold}: ${passes ? 'passes' : 'refused'}`
}

function stepText({ first, carried }: NonNullable<Explanation['stepUp']>): string {
  const taken =
    carried.length === 0 ? '' : `, and this was carried over from it: ${carried.join(', ')}`
  return `second visit of a step-up; the first one scored ${first}${taken}`
}

const clipNote = (sum: number, net: number): string =>
  sum === net
    ? ''
    : `of ${formatLogOdds(sum)}, clipped by its ${net > sum ? 'lower' : 'upper'} bound`

const liftNote = (sum: number, net: number): string =>
  sum === net ? '' : `of ${formatLogOdds(sum)}, which lifts up to ${formatLogOdds(STEP_LIFTS_TO)}`

function row(name: string, value: number | undefined, note = ''): string {
  const number = value === undefined ? '' : formatLogOdds(value).padStart(6)
  const line = `  ${name.padEnd(NAME_WIDTH + 3)} ${number}`.trimEnd()
  return note === '' ? line : `${line}   ${note}`
}
