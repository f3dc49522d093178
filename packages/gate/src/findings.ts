/** Says what a check of the table of settings has found, in words for who wrote the configuration. */
import type { ErrorObject } from 'ajv'
import leven from 'leven'

/** What the table says of a setting. */
type Words = Readonly<{
  expected: string
  enum?: string[]
  properties?: Record<string, { expected: string }>
}>

/** @returns the place, as a JSON pointer, and a sentence about it. */
export function findingOf(error: ErrorObject): [place: string, says: string] {
  const { instancePath, keyword, params, parentSchema, data } = error
  const { properties = {}, expected, enum: choices = [] } = parentSchema as Words
  const name = String(params['missingProperty'] ?? params['additionalProperty'])
  const place = `${instancePath}/${name}`
  if (keyword === 'required') return [place, `is missing: expected ${properties[name]!.expected}`]
  if (keyword === 'additionalProperties')
    return [place, `is unknown${didYouMean(name, Object.keys(properties))}`]
  const hint = didYouMean(String(data), choices)
  return [instancePath, `expected ${expected}, got ${show(data)}${hint}`]
}

function didYouMean(name: string, names: readonly string[]): string {
  const near = names.find(
    (each) => leven(name, each) < 3 || each.endsWith(`_${name}`) || each.startsWith(`${name}_`),
  )
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

/** Returns what was found, short and on one line; never what may be a secret. */
function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a group of settings'
  const text = JSON.stringify(value)
  return /hv_secret|\S@\S/.test(text) ? 'what may be a secret' : text.slice(0, 60)
}
