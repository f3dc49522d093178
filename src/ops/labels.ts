/** The label of everything else. */
export const OTHER = 'other'

/** Sites that get a label; the memory of the metrics, and the size of /metrics, follow it. */
const MAX_SITES = 1000
/** Pairs of site and action. */
const MAX_PAIRS = 1000
/** A site that names no actions lets a page ask for any: one site must not fill the table. */
const MAX_ACTIONS = 16

/**
 * Returns a function that keeps the first `max` values and makes every later one `other`. Whatever comes from outside goes
 * through here before it becomes a label: an unbounded label is a store that any visitor can fill (docs/design/threats.md#t30).
 */
export function bounded(max: number): (value: string) => string {
  const values = new Set<string>()
  return (value) => {
    if (values.has(value)) return value
    if (values.size >= max) return OTHER
    values.add(value)
    return value
  }
}

/** The labels of known sites and of their actions. */
export function boundedLabels({
  sites = MAX_SITES,
  pairs = MAX_PAIRS,
  actions = MAX_ACTIONS,
} = {}) {
  const actionsOf = new Map<string, (action: string) => string>()
  const pair = bounded(pairs)
  return {
    site: bounded(sites),
    /** @param siteLabel as `site` returns it. */
    action(siteLabel: string, action: string): string {
      let ofSite = actionsOf.get(siteLabel)
      if (ofSite === undefined) actionsOf.set(siteLabel, (ofSite = bounded(actions)))
      const label = ofSite(action)
      return label === OTHER || pair(`${siteLabel} ${label}`) === OTHER ? OTHER : label
    },
  }
}
