import type { InForce, Reloadable } from '../domain/observing.ts'
import type { Ledger, Sites } from '../domain/ports.ts'
import { type Site, thresholdsOf } from '../domain/site.ts'
import { type LastHour, SiteCounts } from './last-hour.ts'
import type { InForceAnswer, LastHourAnswer, SiteAnswer } from './last-hour-answer.ts'
import { memberOf, Tally } from './tally.ts'

export interface Observed {
  readonly hour: LastHour
  readonly inForce: (what: Reloadable) => InForce
  readonly ledger: Pick<Ledger, 'fault'>
  readonly sites: Pick<Sites, 'bySitekey'>
  /** Names this process for people: machine and process number. */
  readonly name: string
  readonly version: string
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Returns a function that makes the answer of GET /last-hour. */
export function answerLastHour(on: Observed): () => LastHourAnswer {
  const { hour, inForce, ledger, name, version, clock } = on
  const startedAt = Math.floor(clock() / 1000)
  return () => {
    const minutes = hour.minutes()
    const networks = new Tally()
    const within = new Tally()
    const sites = new Map<string, SiteCounts>()
    for (const minute of minutes) {
      networks.addAll(minute.networks)
      within.addAll(minute.within)
      for (const [key, counts] of minute.sites)
        memberOf(sites, key, () => new SiteCounts()).addAll(counts)
    }
    const fault = ledger.fault()?.code
    return {
      now: Math.floor(clock() / 1000),
      startedAt,
      name,
      version,
      ...(fault !== undefined && { fault }),
      configuration: versionOf(inForce('configuration')),
      keyring: versionOf(inForce('keyring')),
      minutes: minutes.map(({ from, requests, incidents }) => ({
        from,
        requests: recordOf(requests, (codes) => codes.toJSON()),
        incidents: incidents.toJSON(),
      })),
      within: within.toJSON(),
      networks: networks.toJSON(),
      sites: recordOf(sites, (counts, key) => siteOf(counts, on.sites.bySitekey(key))),
    }
  }
}

const recordOf = <T, U>(map: Map<string, T>, make: (value: T, key: string) => U) =>
  Object.fromEntries([...map].map(([key, value]) => [key, make(value, key)] as const))

/** @param site if it is in force. */
function siteOf({ codes, reasons, scores }: SiteCounts, site: Site | undefined): SiteAnswer {
  const counts = { codes: codes.toJSON(), reasons: reasons.toJSON(), scores }
  if (site === undefined) return counts
  const actions = [...site.actionThresholds.keys()].map(
    (action) => [action, thresholdsOf(site, action).scoreThreshold] as const,
  )
  const policy = {
    name: site.name,
    threshold: site.scoreThreshold,
    actions: Object.fromEntries(actions),
  }
  return { ...counts, policy }
}

const versionOf = ({ since, problem }: InForce): InForceAnswer => ({
  since: Math.floor(since / 1000),
  ...(problem !== undefined && { problem: problem.says }),
})
