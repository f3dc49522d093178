/** Counters by name, each up to 999. Names that were never counted are left out of the summary. */
export interface Counts<Name extends string> {
  add(name: Name): void
  of(name: Name): number
  all(): Partial<Record<Name, number>>
}

export function counts<Name extends string>(): Counts<Name> {
  const kept = new Map<Name, number>()
  const of = (name: Name): number => kept.get(name) ?? 0
  return {
    of,
    add: (name) => void kept.set(name, Math.min(999, of(name) + 1)),
    all: () => Object.fromEntries(kept) as Partial<Record<Name, number>>,
  }
}
