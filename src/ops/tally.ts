/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(name: string, n = 1): void {
    this.#counts.set(name, this.count(name) + n)
  }

  addAll(other: Tally): void {
    for (const [name, n] of other.#counts) this.add(name, n)
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  toJSON(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }
}

/** Returns the member of a map, which is made if it is missing. */
export function memberOf<T>(map: Map<string, T>, name: string, make: () => T): T {
  const known = map.get(name)
  if (known !== undefined) return known
  const made = make()
  map.set(name, made)
  return made
}
