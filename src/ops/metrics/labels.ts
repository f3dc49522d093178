/** What all that did not get a label of its own is counted under. */
export const OTHER = 'other'

/** Sites that get a label; the memory of the counts, and the size of /metrics, follow it. */
const MOST_SITES = 1000
/** Pairs of site and action: each costs up to a hundred counts, one per score. */
const MOST_PAIRS = 1000
/** A site that names no actions lets a page ask for any: nobody fills the table through one site. */
const MOST_ACTIONS = 16

/**
 * The first `most` values are labels, every later one is `other`. Whatever comes from outside goes through here before
 * it becomes a label: an unbounded label is a store that anybody can fill (docs/design/threats.md#t30).
 */
export function bounded(most: number): (value: string) => string {
  const values = new Set<string>()
  return (value) => {
    if (values.has(value)) return value
    if (values.size >= most) return OTHER
    values.add(value)
    return value
  }
}

export interface Labels {
  /** @param sitekey of a site of ours: what nobody knows is never handed in. */
  site(sitekey: string): string
  /** @param siteLabel as `site` returns it. */
  action(siteLabel: string, action: string): string
}

export function labels({ sites = MOST_SITES, pairs = MOST_PAIRS, actions = MOST_ACTIONS } = {}): Labels {
  const site = bounded(sites)
  const actionsOf = new Map<string, Set<string>>()
  let room = pairs

  return {
    site,
    action(siteLabel, action) {
      let own = actionsOf.get(siteLabel)
      if (own === undefined) actionsOf.set(siteLabel, (own = new Set()))
      if (own.has(action)) return action
      if (own.size >= actions || room === 0) return OTHER
      room--
      own.add(action)
      return action
    },
  }
}
