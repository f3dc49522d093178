/** A score is explained by the version of its model, so no two models may have one version. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { scoreModel } from '../../../docs/make/scoring-page.ts'
import { MODEL } from '../../../src/score/rules.ts'

interface Digests {
  /** Of the weights, caps, groups, families and bounds. */
  readonly numbers: string
  /** Of the code of the rules and of the sum. */
  readonly code: string
}

/** The versions of which a decision may still be in a log: those of releases, and the one that is being worked on. */
const MODELS: Readonly<Record<number, Digests>> = {
  4: { numbers: '14167e542fdc', code: 'c46becaad128' },
}
const { numbers = 'none', code = 'none' } = MODELS[MODEL.version] ?? {}

const RAISE =
  'Raise MODEL.version in src/score/rules.ts, and add its digests to this test: the log names the version of each decision, and `hv explain` computes it again by this version alone.'

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12)

const QUOTED = /'(?:[^'\\\n]|\\.)*'/.source
const SENTENCES = new RegExp(String.raw`\b(?:evidence|people):\s*${QUOTED},`, 'g')
const QUOTED_OR_COMMENT = new RegExp(String.raw`(${QUOTED})|/\*[^]*?\*/|//.*`, 'g')

const IMPORT_OR_EXPORT = /^import\b[^;]*?'$|^export\b/gm

/** Returns a source text without what changes no score: the sentences of each rule, comments, names of modules and layout. */
function codeOf(file: string): string {
  const text = readFileSync(new URL(`../../../src/score/${file}.ts`, import.meta.url), 'utf8')
  return text
    .replaceAll(SENTENCES, '')
    .replaceAll(QUOTED_OR_COMMENT, (_, quoted: string | undefined) => quoted ?? '')
    .replaceAll(IMPORT_OR_EXPORT, '')
    .replaceAll(/\s+|,\s*(?=[)\]}])/g, '')
}

test('a change of weights, caps, groups, families or bounds raises MODEL.version', () => {
  const { says: _, version: __, ...model } = JSON.parse(scoreModel()) as Record<string, unknown>
  const found = digestOf(JSON.stringify(model))
  expect(found === numbers ? '' : `numbers are ${found}. ${RAISE}`).toBe('')
})

test('a change of the code raises MODEL.version if a visit may score differently', () => {
  const found = digestOf(['rules', 'browsers', 'score'].map(codeOf).join('\n'))
  const advice = `code is ${found}. May a visit score differently now? ${RAISE} If none can, as after a change of names: replace its digest of the code.`
  expect(found === code ? '' : advice).toBe('')
})
