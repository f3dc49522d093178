import { STEP_UPS } from '../../domain/ticket.ts'
import { SCORE_FAMILIES } from '../../domain/score/score-rule.ts'
import type { JsonSchema } from '../../schema/schema.ts'

const bound: JsonSchema = {
  type: 'array',
  minItems: 2,
  maxItems: 2,
  description: 'Least and most, log-odds.',
  examples: [[-2, 0.5]],
  wants: 'the least and the most, such as [-2, 0.5]',
  items: { type: 'number', minimum: -10, maximum: 10 },
}

/** `score`: changes of the model, for all sites or for one. */
export const SCORE_SCHEMA: JsonSchema = {
  type: 'object',
  wants: 'base, weights, bounds and off',
  description:
    'Changes of the score’s weights, in log-odds, by the names in docs/design/scoring.md. A site’s own come on top.',
  additionalProperties: false,
  properties: {
    base: {
      type: 'number',
      minimum: -6,
      maximum: 6,
      description: 'Where a visit starts that shows nothing.',
      examples: [-1],
    },
    weights: {
      type: 'object',
      wants: 'names of rules, each with its weight',
      description: 'Weights at full strength. A rule keeps its direction: what speaks against a visitor stays below 0.',
      additionalProperties: { type: 'number', minimum: -10, maximum: 10 },
      examples: [{ 'console-listener': -0.8 }],
    },
    bounds: {
      type: 'object',
      wants: 'names of families, each with its least and its most',
      description: 'The least and the most that a family may contribute.',
      additionalProperties: false,
      properties: Object.fromEntries(SCORE_FAMILIES.map((family) => [family, bound])),
    },
    off: {
      type: 'array',
      maxItems: 255,
      uniqueItems: true,
      wants: 'a list of names of rules',
      description: 'Rules that are not to count; the log still says that they fired.',
      items: { type: 'string', wants: 'the name of a rule' },
      examples: [['natives-altered']],
    },
  },
}

/** What a site may choose of its judgements, besides the threshold. */
export const JUDGEMENT_SETTINGS: Readonly<Record<string, JsonSchema>> = {
  shadow_threshold: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'A threshold to try out: visitors accepted below it are logged with would_reject, and not refused.',
  },
  reasons: {
    type: 'boolean',
    default: false,
    description: 'true: siteverify says why a score is no higher (docs/design/scoring.md).',
  },
  step_up: {
    enum: STEP_UPS,
    default: 'off',
    description:
      'Second try after a low score (docs/widget/refused.md). managed: the widget asks for it. ticket: siteverify gives your server a ticket for it. off: none.',
  },
  agents: {
    type: 'boolean',
    default: false,
    description: 'true: siteverify names the agent that a token was issued to (docs/operate/agents.md).',
  },
  passes: {
    type: 'boolean',
    default: false,
    description:
      'true: you may vouch for a visitor with a pass (docs/widget/refused.md). Every reader of this file can then make passes for the site.',
  },
  score: SCORE_SCHEMA,
}
