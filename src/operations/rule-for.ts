import type { NetworkFacts } from '../domain/network.ts'
import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import type { Site, Work } from '../domain/site.ts'
import { ruleMet, type VisitRule } from '../domain/site-rules/visit-rules.ts'
import type { UnixSeconds } from '../domain/words.ts'
import type { Caller } from './caller.ts'

/** Facts of a visit that a rule may ask about, beside its caller. */
interface Visit {
  readonly action: string
  readonly network: NetworkFacts
  /** Name of the agent that asks; undefined: none of the configuration's. */
  readonly agent: string | undefined
  readonly at: UnixSeconds
}

/** The site's rule that a request's visit meets. */
export function ruleFor(site: Site, caller: Caller, { action, network, agent, at }: Visit): VisitRule | undefined {
  if (site.rules.length === 0) return undefined
  const { address } = caller
  const place = address === undefined ? undefined : parseAddressRange(address)
  const { userAgent, ja4 } = caller.facts()
  return ruleMet(site.rules, { place, network, userAgent, ja4, agent, action, at })
}

/** The site's work, from the level on that a rule of its sets; rates raise that, and the caps hold. */
export function workUnder(rule: VisitRule | undefined, work: Work): Work {
  const level = rule?.effect.kind === 'adjust' ? rule.effect.work : undefined
  return level === undefined ? work : { ...work, level }
}
