import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config.ts'
import { readDecision } from '../domain/score/decision-record.ts'
import { type Explanation, explainRecord, explainToken } from '../domain/score/explanation.ts'
import type { Site } from '../domain/site.ts'
import { RELEASED } from '../domain/score/weights.ts'
import { command, nowOf, UsageError } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { explanationText } from './explanation-text.ts'
import type { Io } from './io.ts'
import { openToken } from './open-token.ts'
import { settings } from './settings.ts'

/** `hv explain`: a score, each part of it, and whether the parts give it. */
export const explainCommand = command(
  {
    name: 'explain',
    summary: 'explains a score: each contribution, its bound, and the score computed again',
    about: `Prints what a score was made of and computes it again. TOKEN is a response token, opened with the configuration's
keyring; left out, or -, a line of the log or its "decision" is read from standard input, which needs no keyring.
Values are log-odds: +0.7 doubles the odds that the visitor is a person. docs/design/scoring.md has every rule.`,
    operands: ['[TOKEN]'],
    options: { ...CONFIG, ...JSON_OUTPUT },
    examples: [
      'hv explain eyJhbGciOi…',
      'grep AAAAAAAAAAAAAAAAAAAAAA service.log | grep decision | hv explain',
      'hv explain - --json < decision.json',
    ],
    refusal: 'the score is not reproduced, or there is nothing to explain',
    consequence: 'nothing was explained',
  },
  async ({ config, json }, io, [text = '-']) => {
    const explanation = text === '-' ? await fromInput(io, config) : await fromToken(text, io, config)
    if (typeof explanation === 'string') {
      io.err(explanation)
      return EXIT.problems
    }
    io.out(json ? JSON.stringify(explanation, undefined, 2) : explanationText(explanation, io))
    return explanation.doubts.length === 0 ? EXIT.done : EXIT.problems
  },
)

async function fromToken(text: string, io: Io, file: string | undefined): Promise<Explanation | string> {
  const config = settings(file, io)
  const claims = await openToken(text, config, nowOf(io))
  if (!claims) return 'not a token of this keyring and deployment, or altered'
  if (!('sealed' in claims)) return 'a challenge token has no score yet; wants a response token'
  const site = siteOf(config, claims.sitekey)
  const ruleName = site?.rules.find(({ id }) => id === claims.sealed.decision.rule?.id)?.name
  return explainToken(claims, site?.weights ?? RELEASED, site?.scoreThreshold, ruleName)
}

async function fromInput(io: Io, file: string | undefined): Promise<Explanation | string> {
  io.progress?.('reading standard input')
  const text = await io.input?.()
  if (text === undefined || text.trim() === '')
    throw new UsageError('wants a TOKEN, or a line of the log on standard input')
  const line = parse(text)
  const record = readDecision(line?.['decision'] ?? line)
  if (!record) return 'standard input holds no decision: wants one line of the log of solve, or its "decision"'
  const hash = record.weights ?? ''
  if (hash === RELEASED.hash) return explainRecord(record, RELEASED)
  return explainRecord(record, changedHere(io, file, hash))
}

/** The configuration's weights of this hash; without them the record's own figures still add up, or do not. */
function changedHere(io: Io, file: string | undefined, hash: string): Site['weights'] | undefined {
  try {
    const { sites } = settings(file, io)
    return sites.find(({ weights }) => weights.hash === hash)?.weights
  } catch (error) {
    // One that was named must be good; the one that nobody named need not be there.
    if (file === undefined && error instanceof ConfigError) return undefined
    throw error
  }
}

const siteOf = ({ sites }: Config, sitekey: string): Site | undefined => sites.find((site) => site.sitekey === sitekey)

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
