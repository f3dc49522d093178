/** Counters by name, each up to 999. Names that were never counted are left out of the summary. */
export interface Counts<Name extends string> {
  add(name: Name): void
  of(name: Name): number
  all(): Partial<Record<Name, number>>
}

export function counts<Name extends string>(): Counts<Name> {
  const numbers = Object.create(null) as Partial<Record<Name, number>>
  const of = (name: Name): number => numbers[name] ?? 0
  return {
    of,
    add: (name) => void (numbers[name] = Math.min(999, of(name) + 1)),
    all: () => numbers,
  }
}
