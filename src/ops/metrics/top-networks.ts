/** Networks kept at a time. */
const MOST = 100

/** The networks (IPv4 /24, IPv6 /48) that were refused most often, in bounded memory. */
export interface TopNetworks {
  count(network: string): void
  /** What was counted since the last call. */
  drain(): ReadonlyMap<string, number>
}

/**
 * When there is no room, a newcomer takes the place and the count of the least: whoever is refused most is never missed,
 * and no count is too low, though one at the bottom may be too high.
 *
 * @see Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams (2005)
 */
export function topNetworks(most = MOST): TopNetworks {
  let counts = new Map<string, number>()
  return {
    count(network) {
      let before = counts.get(network)
      if (before === undefined && counts.size >= most) {
        const least = [...counts].reduce((a, b) => (b[1] < a[1] ? b : a))
        counts.delete(least[0])
        before = least[1]
      }
      counts.set(network, (before ?? 0) + 1)
    },
    drain() {
      const drained = counts
      counts = new Map()
      return drained
    },
  }
}
