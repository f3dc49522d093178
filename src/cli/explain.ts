import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { ConfigError } from '../settings/problem.ts'
import { type DecisionRecord, readDecision } from '../score/decision-record.ts'
import { explainRecord } from '../score/explanation.ts'
import { RELEASED, type Weights } from '../score/weights.ts'
import { configOf, configOption, define, jsonOption, Problem } from './command.ts'
import { explanationText } from './explanation-text.ts'
import { EXIT, type Io } from './io.ts'

/** `hv explain`: a score, each part of it, and whether the parts give it. */
export const explainCommand = (io: Io): Command =>
  define('explain', {
    summary: 'explain a score from the log: each contribution, and the score computed again',
    about: `Prints what a score was made of and computes it again. Reads the service's log, or a single line of it: the first decision found, or the decision of the visit with this JTI (the id of its token). Values are log-odds: +0.7 doubles the odds that the visitor is a person. docs/design/scoring.md has every rule.`,
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
    .action(async (jti: string | undefined, { log, config, json }: { log: string; config?: string; json?: true }) => {
      const record = await findDecision(log === '-' ? io.stdin : createReadStream(resolve(io.cwd, log)), jti)
      if (!record) {
        throw new Problem(
          `no decision${jti === undefined ? '' : ` of ${jti}`} in ${log === '-' ? 'standard input' : log}`,
        )
      }
      const explanation = explainRecord(record, weightsOf(record, io, config))
      io.out(json ? JSON.stringify(explanation, undefined, 2) : explanationText(explanation, io))
      if (explanation.doubts.length > 0) io.exitCode = EXIT.problems
    })

/** Finds the first decision in a log, or the one of this token id. A line may be a whole log line or its `decision` alone. */
async function findDecision(input: Readable, jti: string | undefined): Promise<DecisionRecord | undefined> {
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
function weightsOf({ weights: hash = '' }: DecisionRecord, io: Io, file: string | undefined): Weights | undefined {
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
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
