import type { Path } from '../schema/schema.ts'
import type { SchemaProblem } from '../schema/schema.ts'
import { type Finding, wants } from './finding.ts'
import { formatPath } from './path.ts'
import { REMOVED_SETTINGS } from './removed-settings.ts'

/** A problem of the schema as a finding: with what was found, and the likely slip. */
export function fromSchema({ path, keyword, says }: SchemaProblem, value: unknown): Finding {
  if (keyword === 'additionalProperties') return { path, says: insteadOf(path) ?? says, atKey: true }
  if (keyword === 'required' || keyword === 'uniqueItems') return { path, says }
  return wants(path, says.replace(/^wants /, ''), value, hint(path, says, value))
}

/** Returns what replaces a removed setting. */
function insteadOf(path: Path): string | undefined {
  const setting = formatPath(path).replaceAll(/\[\d+\]/g, '[]')
  return Object.hasOwn(REMOVED_SETTINGS, setting) ? REMOVED_SETTINGS[setting] : undefined
}

/** Only for values that may be printed: numbers, and texts of a few known shapes. */
function hint(path: Path, says: string, value: unknown): string | undefined {
  const name = path.at(-1)
  if (value === null) return 'left empty'
  if (typeof value === 'number') {
    if (String(name).endsWith('_threshold') && value > 1 && value <= 100) return `a percentage? ${value / 100}`
    if (name === 'listen' || name === 'ops_listen') return `127.0.0.1:${value}?`
    if (/(_lifetime|_cost)$/.test(String(name))) return `which unit? ${value}s`
    if (!wantsNumber(says)) return 'a number: put it in quotes'
    return undefined
  }
  if (value === false && says === 'wants true') return 'leave it out'
  if (typeof value === 'boolean') return wantsNumber(says) ? undefined : 'true or false: put it in quotes'
  if (typeof value !== 'string') return undefined
  if (/^-?[0-9.]{1,10}$/.test(value) && wantsNumber(says)) return `a text: leave the quotes away`
  const rate = /^([1-9][0-9]{0,8}) ?(?:\/|per|each) ?1? ?(s|m|h|d)[a-z]*$/.exec(value)
  if (rate && path[0] === 'limits') return `${rate[1]} per 1${rate[2]}?`
  const span = /^([1-9][0-9]{0,6}) ?(s|m|h|d)[a-z]*$/i.exec(value)
  if (span && String(name).endsWith('_lifetime')) return `${span[1]}${span[2]!.toLowerCase()}?`
  if (says.includes('list')) return 'a list: [one, two]'
  return undefined
}

const wantsNumber = (says: string): boolean => says.startsWith('wants a number') || says === 'wants 1'
