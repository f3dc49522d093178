/** Finds the rules that may match a request without looking at the others: hundreds of paths and guests stand in the lists. */
import { formsOf } from './readings.ts'
import type { RuleSettings } from './settings.ts'

/** Rules by what a request must have for them to match. */
export class RuleIndex {
  readonly #rules: readonly RuleSettings[]
  /** Places of the rules that may match any request. */
  readonly #always: readonly number[]
  readonly #alwaysRules: readonly RuleSettings[]
  readonly #byKey = new Map<string, number[]>()

  constructor(rules: readonly RuleSettings[]) {
    this.#rules = rules
    const always: number[] = []
    for (const [place, rule] of rules.entries()) {
      const keys = keysOf(rule)
      if (!keys) always.push(place)
      for (const key of keys ?? []) this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), place])
    }
    this.#always = always
    this.#alwaysRules = always.map((place) => rules[place]!)
  }

  /**
   * Returns, in their order, the rules that may match.
   *
   * @param path as it came, without the query. @param guests the names of the guest that the visitor is.
   */
  candidates(path: string, guests: readonly string[]): readonly RuleSettings[] {
    const places = [beginningOf(path), endOf(path), ...guests].flatMap(
      (key) => (key === undefined ? undefined : this.#byKey.get(key)) ?? [],
    )
    if (places.length === 0) return this.#alwaysRules
    return [...new Set([...this.#always, ...places])]
      .sort((one, other) => one - other)
      .map((place) => this.#rules[place]!)
  }
}

/**
 * Returns the keys of a rule: a request that has none of them cannot match it. Undefined: any request may match it.
 *
 * A path gives keys for rules that allow, because these match the path as it was sent. Other rules also match other readings of
 * the path, which may begin and end differently.
 */
function keysOf({ when: { guest, path }, effect }: RuleSettings): readonly string[] | undefined {
  if (guest) return guest
  if (effect !== 'allow' || !path) return undefined
  const keys = path
    .flatMap((pattern) => formsOf(pattern).exact)
    .map((form) => beginningOf(form) ?? endOf(form))
  return keys.every((key) => key !== undefined) ? [...new Set(keys)] : undefined
}

/** Returns `/feed` for `/feed/atom`: the first name of a path, or of a pattern that has no star in it. */
const beginningOf = (path: string): string | undefined => /^\/[^/*]*(?=\/|$)/.exec(path)?.[0]
/** Returns `*refs` for `/team/x.git/info/refs`: the last name, in the same way. */
function endOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.includes('*') ? undefined : `*${name}`
}
