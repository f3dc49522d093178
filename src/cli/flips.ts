/** Who would flip under another policy: counted by site and action, with a few to look at. */

export interface Compared {
  readonly sitekey: string
  readonly action: string
  readonly jti: string | undefined
  readonly from: { readonly score: number; readonly passes: boolean }
  readonly to: {
    readonly score: number
    readonly passes: boolean
    readonly stepsUp: boolean
    readonly rule: string | undefined
  }
  /** The name of a rule that the log cannot decide. */
  readonly undecided: string | undefined
}

export interface FlipGroup {
  readonly sitekey: string
  readonly action: string
  decisions: number
  passed_before: number
  passes_after: number
  accepted_to_refused: number
  refused_to_accepted: number
  /** Refused, and given a second try. */
  step_ups_after: number
  /** Of which a rule could not be decided: the flips among these are not sure. */
  undecided: number
  readonly examples: Example[]
}

interface Example {
  readonly jti: string | undefined
  readonly now: 'refused' | 'accepted'
  readonly from: number
  readonly to: number
  readonly rule?: string
}

/** Groups that are kept apart; actions are the visitors' own words where a site allows any. */
const MOST_GROUPS = 10_000

/** @param examples how many to keep of each group. */
export function flips(examples: number) {
  const groups = new Map<string, FlipGroup>()

  function groupOf(sitekey: string, action: string): FlipGroup {
    const own = groups.get(`${sitekey} ${action}`)
    if (own) return own
    const fresh = groups.size < MOST_GROUPS ? empty(sitekey, action) : empty('(others)', '(others)')
    const key = `${fresh.sitekey} ${fresh.action}`
    const group = groups.get(key) ?? fresh
    groups.set(key, group)
    return group
  }

  return {
    add({ sitekey, action, jti, from, to, undecided }: Compared): void {
      const group = groupOf(sitekey, action)
      group.decisions++
      if (from.passes) group.passed_before++
      if (to.passes) group.passes_after++
      if (to.stepsUp) group.step_ups_after++
      if (undecided !== undefined) group.undecided++
      if (from.passes === to.passes) return
      if (to.passes) group.refused_to_accepted++
      else group.accepted_to_refused++
      if (group.examples.length < examples) {
        const now = to.passes ? 'accepted' : 'refused'
        group.examples.push({
          jti,
          now,
          from: from.score,
          to: to.score,
          ...(to.rule !== undefined && { rule: to.rule }),
        })
      }
    },
    /** By site, then by how many flip. */
    groups: (): readonly FlipGroup[] =>
      [...groups.values()].sort((a, b) =>
        a.sitekey === b.sitekey ? flipped(b) - flipped(a) : a.sitekey < b.sitekey ? -1 : 1,
      ),
  }
}

export const flipped = (group: FlipGroup): number => group.accepted_to_refused + group.refused_to_accepted

const empty = (sitekey: string, action: string): FlipGroup => ({
  sitekey,
  action,
  decisions: 0,
  passed_before: 0,
  passes_after: 0,
  accepted_to_refused: 0,
  refused_to_accepted: 0,
  step_ups_after: 0,
  undecided: 0,
  examples: [],
})
