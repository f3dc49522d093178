/** Counters by name, each up to 999. Names that were never counted are left out of the summary. */
export interface Counts<Name extends string> {
  add(name: Name): void
  of(name: Name): number
  all(): Partial<Record<Name, number>>
}

export function counts<Name extends string>(): Counts<Name> {
  const numbers = new Map<Name, number>()
  const of = (name: Name): number => numbers.get(name) ?? 0
  return {
    of,
    add: (name) => void numbers.set(name, Math.min(999, of(name) + 1)),
    all: () => Object.fromEntries(numbers) as Partial<Record<Name, number>>,
  }
}
