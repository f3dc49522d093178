import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { scoreModel } from '../../../docs/make/scoring-page.ts'

test('the vectors have the model: npm run docs writes them', () => {
  const vectors = readFileSync(new URL('../../vectors/score-model.json', import.meta.url), 'utf8')
  expect(JSON.parse(vectors)).toEqual(JSON.parse(scoreModel()))
})
