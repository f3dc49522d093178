import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { MODEL, REASONS, RULES, SCORE_FAMILIES } from '../../../src/score/rules.ts'

test('the vectors have the model: npm run docs writes them', () => {
  const vectors = JSON.parse(readFileSync(new URL('../../vectors/score-model.json', import.meta.url), 'utf8')) as object
  const rules = RULES.map(({ id, name, family, reason, weight, cap }) => [
    id,
    name,
    family,
    reason,
    weight,
    cap ?? null,
  ])
  expect(vectors).toEqual({ says: expect.any(String), ...MODEL, families: SCORE_FAMILIES, reasons: REASONS, rules })
})
