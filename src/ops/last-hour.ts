import type { InForce, Notes, Reloadable } from '../domain/observing.ts'
import { type Site, thresholdsOf } from '../domain/site.ts'
import type { Ledger, Sites } from '../domain/ports.ts'
import { bounded } from './labels.ts'
import type { InForceAnswer, LastHourAnswer } from './last-hour-answer.ts'

const MINUTES = 60
/** Sites that are shown one by one; the rest is `other`. */
const MAX_SITES = 100
/** Networks of one minute that are shown one by one. */
const MAX_NETWORKS = 100
/** Upper bounds of the time until an answer, in milliseconds. */
const ANSWER_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 800, Infinity]

/** Incidents besides requests. */
export type Incident = 'generation-moved' | 'shed' | 'lines-lost'

interface Minute {
  readonly from: number
  readonly counts: Map<string, number>
  readonly totals: Map<string, number>
  readonly network: (network: string) => string
}

export type LastHour = ReturnType<typeof lastHour>

/**
 * Counts what this process did in the last hour: a ring of counts for each minute, in memory.
 *
 * @param clock Unix milliseconds.
 */
export function lastHour(clock: () => number) {
  const site = bounded(MAX_SITES)
  let minutes: Minute[] = []

  function current(): Minute {
    const from = Math.floor(clock() / 60_000) * 60
    const newest = minutes.at(-1)
    if (newest?.from === from) return newest
    const minute = { from, counts: new Map(), totals: new Map(), network: bounded(MAX_NETWORKS) }
    minutes = [...minutes.filter((each) => each.from > from - MINUTES * 60), minute]
    return minute
  }

  return {
    request(
      operation: string,
      { code = 'gone', sitekey, score, reasons = [], network, ms = 0 }: Notes,
    ) {
      const { counts, totals, network: label } = current()
      add(counts, `${operation} ${code}`)
      if (code === 'rate-limit-exceeded' && network !== undefined)
        add(totals, `network ${label(network)}`)
      if (sitekey === undefined) return
      const key = site(sitekey)
      add(totals, `site ${key} ${code}`)
      if (operation !== 'siteverify') return
      add(totals, `within ${ANSWER_MS.find((bound) => ms <= bound)}`)
      if (
        (code !== 'accepted' && code !== 'low-score') ||
        score === undefined ||
        !Number.isFinite(score)
      )
        return
      add(
        totals,
        `score ${key} ${(Math.floor(Math.min(score, 0.99) * 20 + 1e-9) / 20).toFixed(2)} ${code}`,
      )
      if (code === 'low-score') for (const reason of reasons) add(totals, `reason ${key} ${reason}`)
    },
    incident: (what: Incident, times: number) => add(current().counts, `incident ${what}`, times),
    minutes(): readonly Minute[] {
      current()
      return minutes
    },
  }
}

function add(to: Map<string, number>, key: string, n = 1): void {
  to.set(key, (to.get(key) ?? 0) + n)
}

export interface Observed {
  readonly hour: LastHour
  readonly inForce: (what: Reloadable) => InForce
  readonly ledger: Pick<Ledger, 'fault'>
  readonly sites: Pick<Sites, 'bySitekey'>
  /** Of this process, for people: machine and process number. */
  readonly name: string
  readonly version: string
  /** Unix milliseconds. */
  readonly clock: () => number
}

/** Returns what answers GET /last-hour. */
export function lastHourAnswer({
  hour,
  inForce,
  ledger,
  sites,
  name,
  version,
  clock,
}: Observed): () => LastHourAnswer {
  const startedAt = Math.floor(clock() / 1000)
  return () => {
    const minutes = hour.minutes()
    const totals = new Map<string, number>()
    for (const minute of minutes) for (const [key, n] of minute.totals) add(totals, key, n)
    const sitekeys = [...totals.keys()].flatMap((key) =>
      key.startsWith('site ') ? [key.split(' ')[1]!] : [],
    )
    const known = [...new Set(sitekeys)].flatMap((key) => {
      const site = sites.bySitekey(key)
      return site === undefined
        ? []
        : [
            [
              key,
              { name: site.name, threshold: site.scoreThreshold, actions: ownThresholds(site) },
            ] as const,
          ]
    })
    const fault = ledger.fault()?.code
    return {
      now: Math.floor(clock() / 1000),
      startedAt,
      name,
      version,
      ...(fault !== undefined && { fault }),
      configuration: answerOf(inForce('configuration')),
      keyring: answerOf(inForce('keyring')),
      minutes: minutes.map(({ from, counts }) => ({ from, counts: Object.fromEntries(counts) })),
      totals: Object.fromEntries(totals),
      sites: Object.fromEntries(known),
    }
  }
}

const ownThresholds = (site: Site): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...site.actionThresholds.keys()].map((action) => [
      action,
      thresholdsOf(site, action).scoreThreshold,
    ]),
  )

const answerOf = ({ since, problem }: InForce): InForceAnswer => ({
  since: Math.floor(since / 1000),
  ...(problem !== undefined && { problem: problem.says }),
})
