/** Writes test/vectors/score-model.json from the built tables: node test/support/score-vectors.mjs */
import { writeFileSync } from 'node:fs'
import { MODEL, REASONS, RULES, SCORE_FAMILIES } from '../../dist/score/rules.js'

const vectors = {
  says: 'The model of the score; rules are [id, name, family, reason, weight, cap].',
  ...MODEL,
  families: SCORE_FAMILIES,
  reasons: REASONS,
  rules: RULES.map(({ id, name, family, reason, weight, cap }) => [id, name, family, reason, weight, cap ?? null]),
}
writeFileSync(new URL('../vectors/score-model.json', import.meta.url), `${JSON.stringify(vectors, undefined, 2)}\n`)
