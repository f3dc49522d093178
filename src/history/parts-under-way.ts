import type { Bump } from './counters.ts'
import { FIELD } from './subjects.ts'

/** Parts of the work that this process counted, on their way to the store: many come at once, or none do. */
export interface PartsUnderWay {
  /** @param where a sitekey and an action of it. */
  add(where: string): void
  count(where: string): number
  /** Takes off what the store has counted of a place's minutes, or lost; later parts are still under way. */
  readonly settle: (bump: Bump) => void
}

export function partsUnderWay(): PartsUnderWay {
  /** As many as the places that the configuration lists. */
  const parts = new Map<string, number>()
  const count = (where: string): number => parts.get(where) ?? 0
  return {
    count,
    add: (where) => void parts.set(where, count(where) + 1),
    settle({ subject, add }) {
      if (!subject.startsWith('s:')) return
      const where = subject.slice(2)
      const settled = add.find(([field]) => field === FIELD.parts)?.[1] ?? 0
      parts.set(where, count(where) - settled)
    },
  }
}
