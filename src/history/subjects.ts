import { type RecentCounts, HISTORY_WINDOW } from '../domain/history.ts'
import { COST_BINS } from '../work/human-cost.ts'
import { sliding } from './sliding.ts'
import { type Seconds, seconds, type UnixSeconds } from '../domain/words.ts'
import type { Counted, Subject } from './counters.ts'

/** Fields of an address, a network, a site. An address's own record on one site has the site's tag behind the letter. */
export const FIELD = {
  challenges: 'c',
  solves: 's',
  verified: 'v',
  failed: 'f',
  low: 'l',
  /** In hundredths of a solve. */
  unfinished: 'u',
  parts: 'p',
} as const satisfies Record<keyof RecentCounts, string>

const READ = Object.values(FIELD)

/** A visitor's address that only asked for challenges is forgotten after this; who solves has worked to be remembered. */
export const BRIEFLY = seconds(120)
/** Longer than any bucket lives; it ends with the next one. */
export const FULLY = seconds(2 * HISTORY_WINDOW)
export const DAY = seconds(86_400)

const bump = (subject: string, place: string, keep: Seconds, read: readonly string[] = READ): Subject => ({
  subject,
  place,
  bucket: HISTORY_WINDOW,
  read,
  keep,
})

/** Both lie at the network's place, so that one call asks for both. @param mark `AddressMark.hash`. */
export const addressSubject = (mark: string, network: string, keep: Seconds) => bump(`a:${mark}`, network, keep)
export const networkSubject = (network: string, keep: Seconds) => bump(`n:${network}`, network, keep)
/** @param where a sitekey and an action of it. */
export const placeSubject = (where: string, sitekey: string) => bump(`s:${where}`, sitekey, FULLY)
const daily = (subject: string, sitekey: string, read: readonly string[]): Subject => ({
  ...bump(subject, sitekey, seconds(2 * DAY), read),
  bucket: DAY,
})
/** The challenges of a day, to know what is usual. */
export const daySubject = (where: string, sitekey: string) => daily(`d:${where}`, sitekey, DAY_READ)
/** Six characters that tell the sites apart on which an address was seen. */
export const siteTag = (sitekey: string): string => sitekey.slice(-6)
export const taggedFields = (sitekey: string): readonly string[] => READ.map((field) => field + siteTag(sitekey))

/** How long the work took a site's visitors; one vote for each network in a day. */
export const timesSubject = (sitekey: string) => daily(`t:${sitekey}`, sitekey, COST_FIELDS)

const DAY_READ = [FIELD.challenges, FIELD.solves, FIELD.parts]
const COST_FIELDS = Array.from({ length: COST_BINS }, (_, bin) => String(bin))

/** Counts of an address, network or site, from the fields read; in the order of `FIELD`. @param from index of the first. */
export function countsOf({ values }: Counted, now: UnixSeconds, from = 0): RecentCounts {
  const count = (place: number): number => sliding(values[from + place]!, now, HISTORY_WINDOW)
  return {
    challenges: count(0),
    solves: count(1),
    verified: count(2),
    failed: count(3),
    low: count(4),
    unfinished: count(5) / 100,
    parts: count(6),
  }
}
