import { createHash } from 'node:crypto'
import type { Bounds, Family, Weights } from '../domain/weights.ts'
import { MODEL, RULES } from './rules.ts'

/** Changes in the configuration, by the names of rules and families. */
export interface WeightChanges {
  readonly base?: number | undefined
  readonly bounds?: Readonly<Partial<Record<Family, readonly [number, number]>>> | undefined
  readonly weights?: Readonly<Record<string, number>> | undefined
  readonly off?: readonly string[] | undefined
}

/** The model without changes. */
export const RELEASED: Weights = {
  base: MODEL.base,
  bounds: MODEL.bounds,
  byRule: new Map(RULES.map(({ id, weight }) => [id, weight])),
  hash: '',
}

/** Returns the model with these changes, applied in order: those of the whole configuration, then the site's. */
export function applyWeightChanges(...changes: readonly WeightChanges[]): Weights {
  const byRule = new Map(RELEASED.byRule)
  const bounds: Bounds = { ...RELEASED.bounds }
  let { base } = RELEASED
  for (const change of changes) {
    base = change.base ?? base
    Object.assign(bounds, change.bounds)
    for (const { id, name } of RULES) {
      const weight = change.off?.includes(name) === true ? 0 : change.weights?.[name]
      if (weight !== undefined) byRule.set(id, weight)
    }
  }
  return { base, bounds, byRule, hash: hashOf(base, bounds, byRule) }
}

/** Hashes the changes in the order of the model, whatever their own order. */
function hashOf(base: number, bounds: Bounds, byRule: ReadonlyMap<number, number>): string {
  const weights = [...byRule].filter(([id, weight]) => weight !== RELEASED.byRule.get(id))
  const clips = Object.entries(bounds).filter(([family, [least, most]]) => {
    const [released, releasedMost] = MODEL.bounds[family as Family]
    return least !== released || most !== releasedMost
  })
  if (weights.length === 0 && clips.length === 0 && base === MODEL.base) return ''
  const changes = JSON.stringify([base, clips, weights])
  return createHash('sha256').update(changes).digest('hex').slice(0, 8)
}
