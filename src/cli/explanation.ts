import type { RuleEffect } from '../domain/site-rules/visit-rules.ts'
import { type Family, SCORE_FAMILIES, type Weights } from '../domain/weights.ts'
import { compile, type JsonSchema } from '../schema/json-schema.ts'
import type { DecisionRecord } from '../score/decision-record.ts'
import { MODEL, type Reason, REASONS, RULES, type ScoreRule } from '../score/rules.ts'
import { roundToHundredths, scoreOf } from '../score/score.ts'

const NUMBER = { type: 'number' }
const TEXT = { type: 'string' }
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const object = (
  required: Record<string, JsonSchema>,
  optional: Record<string, JsonSchema> = {},
): JsonSchema => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
})

const CONTRIBUTION = object(
  {
    name: TEXT,
    family: { enum: SCORE_FAMILIES },
    reason: { enum: REASONS },
    strength: NUMBER,
    value: NUMBER,
  },
  { cap: NUMBER },
)
const FIGURES = { model: NUMBER, base: NUMBER, score: NUMBER, threshold: NUMBER, units: NUMBER }
const RECORD = object(
  { ...FIGURES, contributions: listOf(CONTRIBUTION), reasons: listOf({}) },
  {
    weights: TEXT,
    clipped: { type: 'object', additionalProperties: NUMBER },
    rule: object(
      { name: TEXT, id: TEXT, kind: { enum: ['allow', 'deny', 'adjust'] } },
      { score: NUMBER, work: NUMBER },
    ),
    network: object({}, { asn: NUMBER, country: TEXT, lists: listOf(TEXT) }),
    step_up: object({ first: NUMBER, carried: listOf(TEXT) }),
  },
)

/** @returns undefined for anything else: a log has other lines, and files get cut. */
export function readDecision(value: unknown): DecisionRecord | undefined {
  const read = compile<DecisionRecord>(RECORD, { all: false })(value)
  if (!read.ok) return undefined
  const { rule } = read.value
  return rule?.kind === 'adjust' && !Number.isFinite(rule.score) ? undefined : read.value
}

/** A recorded decision, computed again from its own figures. */
export interface Reproduction {
  readonly families: readonly {
    readonly family: Family
    readonly sum: number
    readonly net: number
  }[]
  readonly cappedTo: number | undefined
  readonly logOdds: number
  readonly score: number
}

/** Sums a record as it stands, without the weights that are installed here. */
export function reproduce({
  base,
  contributions,
  clipped = {},
  rule,
}: DecisionRecord): Reproduction {
  const families = SCORE_FAMILIES.filter((family) =>
    contributions.some((each) => each.family === family),
  ).map((family) => {
    const own = contributions.filter((each) => each.family === family)
    const sum = roundToHundredths(own.reduce((total, { value }) => total + value, 0))
    return { family, sum, net: clipped[family] ?? sum }
  })
  const adjustment = rule?.kind === 'adjust' ? rule.score : 0
  const total = roundToHundredths(families.reduce((so, each) => so + each.net, base))
  const net = Math.min(total, ...contributions.flatMap(({ cap }) => cap ?? []))
  const logOdds = roundToHundredths(net + adjustment)
  return {
    families,
    cappedTo: net < total ? net : undefined,
    logOdds,
    score: scoreOf(logOdds, rule),
  }
}

/** A score taken apart, and put together again. Log-odds, but for `score`, `again` and `threshold`. */
export interface Explanation {
  readonly model: number
  /** Hash of the operator's changes of the model; empty: none. */
  readonly weights: string
  readonly base: number
  readonly families: readonly {
    readonly family: Family
    readonly contributions: readonly ExplainedContribution[]
    readonly sum: number
    /** The rest of the sum within the family's bounds. */
    readonly kept: number
  }[]
  /** The cap of a rule that held base and families down; undefined: none did. */
  readonly cappedTo: number | undefined
  readonly rule: ({ readonly name: string } & RuleEffect) | undefined
  readonly logOdds: number
  /** For the second visit of a step-up: the log's words on the first one; left out: an ordinary visit. */
  readonly stepUp?: { readonly first: number; readonly carried: readonly string[] }
  /** As it was decided. */
  readonly score: number
  /** As its parts give it. */
  readonly again: number
  readonly threshold: number
  readonly reasons: readonly Reason[]
  /** Why the record is not reproducible; empty: it is. */
  readonly doubts: readonly string[]
}

export interface ExplainedContribution {
  readonly name: string
  readonly reason: Reason
  /** 0 to 1. */
  readonly strength: number
  readonly value: number
}

/** @param weights those that the record names by its hash, where they are known here: then each value is checked as well. */
export function explainRecord(record: DecisionRecord, weights: Weights | undefined): Explanation {
  const { families, cappedTo, logOdds, score: again } = reproduce(record)
  const { rule } = record
  return {
    model: record.model,
    weights: record.weights ?? '',
    base: record.base,
    families: families.map(({ family: own, sum, net }) => ({
      family: own,
      sum,
      kept: net,
      contributions: record.contributions
        .filter(({ family }) => family === own)
        .map(({ name, reason, strength, value }) => ({ name, reason, strength, value })),
    })),
    cappedTo,
    rule,
    logOdds,
    score: record.score,
    again,
    threshold: record.threshold,
    reasons: record.reasons,
    ...(record.step_up && { stepUp: record.step_up }),
    doubts: [...scoreDoubts(record.score, again), ...(weights ? valueDoubts(record, weights) : [])],
  }
}

const scoreDoubts = (score: number, again: number): string[] =>
  score === again ? [] : [`the parts give ${again}, the decision says ${score}`]

/** Lists what a record says that these weights do not give: a line of the log can be edited. */
function* valueDoubts(record: DecisionRecord, weights: Weights): Iterable<string> {
  if (record.model !== MODEL.version || (record.weights ?? '') !== weights.hash) return
  if (record.base !== weights.base)
    yield `the base of these weights is ${weights.base}; the record says ${record.base}`
  for (const each of record.contributions)
    yield* contributionDoubts(each, record.contributions, weights)
  yield* boundDoubts(record.clipped ?? {}, weights)
}

type Contribution = DecisionRecord['contributions'][number]

function* contributionDoubts(
  { name, strength, value, cap }: Contribution,
  all: readonly Contribution[],
  weights: Weights,
): Iterable<string> {
  const rule = RULES.find((each) => each.name === name)
  const own = rule && roundToHundredths(weights.byRule.get(rule.id)! * strength)
  const isReplaced = value === 0 && rule !== undefined && all.some(replaces(rule, own!))
  if (own !== value && !isReplaced)
    yield `${name} at strength ${strength} gives ${own ?? 'nothing'}; the record says ${value}`
  if (rule && value !== 0 && rule.cap !== cap)
    yield `${name} caps at ${rule.cap ?? 'nothing'}; the record says ${cap ?? 'nothing'}`
}

/** Reports whether another contribution counts in place of a rule: only the one with the lowest value of a group does (score.ts). */
const replaces =
  ({ id, group }: ScoreRule, value: number) =>
  (other: Contribution): boolean =>
    group !== undefined &&
    RULES.some((rule) => rule.name === other.name && rule.id !== id && rule.group === group) &&
    other.value <= value

function* boundDoubts(
  clipped: NonNullable<DecisionRecord['clipped']>,
  { bounds }: Weights,
): Iterable<string> {
  for (const [family, bound] of Object.entries(clipped)) {
    // A step lifts a visit up to a score (score.ts), so what it adds need not be a bound.
    if (family !== 'step' && !bounds[family as Family]?.includes(bound))
      yield `${bound} is no bound of ${family} in these weights`
  }
}
