import { parseAddressRange } from '../domain/site-rules/ranges.ts'
import type { Site, Work } from '../domain/site.ts'
import type { DescribedVisit } from '../domain/site-rules/visit-conditions.ts'
import { ruleMet, type VisitRule } from '../domain/site-rules/visit-rules.ts'
import type { Caller } from './caller.ts'

type Visit = Pick<DescribedVisit, 'action' | 'network' | 'agent' | 'at'>

/** Returns the first of the site's rules that matches the visit. */
export function ruleFor(site: Site, caller: Caller, visit: Visit): VisitRule | undefined {
  if (site.rules.length === 0) return undefined
  const { address } = caller
  const range = address === undefined ? undefined : parseAddressRange(address)
  const { userAgent, ja4 } = caller.facts()
  return ruleMet(site.rules, { ...visit, range, userAgent, ja4 })
}

/** Returns the site's work with the level of its rule, if the rule sets one; rates may raise it up to the caps. */
export function workUnder(rule: VisitRule | undefined, work: Work): Work {
  const level = rule?.effect.kind === 'adjust' ? rule.effect.work : undefined
  return level === undefined ? work : { ...work, level }
}
