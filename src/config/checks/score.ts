import { RULES } from '../../domain/score/score-model.ts'
import { nearest } from '../../schema/nearest.ts'
import type { Path } from '../../schema/schema.ts'
import { type Finding, wants } from '../finding.ts'
import { entries, member, number, text } from './unknown-values.ts'

const NAMES = RULES.map(({ name }) => name)
/** For how many unknown names a near one is looked for: a hostile file has thousands. */
const GUESSES = 100

/** Rules of `score`: names that exist, weights that keep their direction, bounds around 0. */
export function* scoreFindings(score: unknown, path: Path): Iterable<Finding> {
  const weights = member(score, 'weights')
  let unknown = 0
  for (const [name, value] of members(weights)) {
    const place = [...path, 'weights', name]
    const rule = RULES.find((each) => each.name === name)
    if (!rule) yield { path: place, says: notThere(name, unknown++), atKey: true }
    else if (number(value) !== undefined && Math.sign(value as number) * Math.sign(rule.weight) < 0) {
      const [side, range] = rule.weight < 0 ? ['against', '-10 to 0'] : ['for', '0 to 10']
      yield wants(place, `a number from ${range}`, value, `this rule speaks ${side} a visitor`)
    }
  }
  for (const [index, value] of entries(member(score, 'off'))) {
    const name = text(value)
    if (name === undefined) continue
    const place = [...path, 'off', index]
    if (!NAMES.includes(name)) yield { path: place, says: notThere(name, unknown++) }
    else if (member(weights, name) !== undefined)
      yield { path: place, says: 'has a weight, too: name it in one of both' }
  }
  for (const [family, value] of members(member(score, 'bounds'))) {
    const [least, most] = entries(value).map(([, each]) => number(each))
    if (least === undefined || most === undefined || (least <= 0 && most >= 0)) continue
    yield { path: [...path, 'bounds', family], says: `wants at most 0 and at least 0; got ${least} and ${most}` }
  }
}

function notThere(name: string, before: number): string {
  const near = before < GUESSES ? nearest(name, NAMES) : undefined
  return `is no rule of the score${near === undefined ? ' (docs/design/scoring.md has them)' : ` (did you mean ${near}?)`}`
}

const members = (value: unknown): readonly [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
