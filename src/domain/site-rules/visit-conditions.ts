import { duringHours, parseHours } from './hours.ts'
import type { NetworkFacts } from '../network.ts'
import { type AddressRange, parseAddressRange, rangeSet } from './ranges.ts'
import { textPattern } from './text-pattern.ts'
import { ANY_AGENT } from '../named-agent.ts'
import type { UnixSeconds } from '../words.ts'

/** A visit as the rules of a site see it. Undefined members are unknown, such as in an old log line. */
export interface DescribedVisit {
  /** The address, or its network if it comes from a log. */
  readonly range: AddressRange | undefined
  readonly network: NetworkFacts | undefined
  readonly userAgent: string | undefined
  /** JA4 of the visitor's TLS, from a trusted proxy. */
  readonly ja4?: string | undefined
  /** Name of the configured agent that sent the request, if any. */
  readonly agent: string | undefined
  readonly action: string
  readonly at: UnixSeconds
}

/** Conditions of a rule, already validated: all must be true, each for any of its values. */
export interface VisitConditions {
  readonly cidr?: readonly string[] | undefined
  /** Names of the configuration's lists. */
  readonly list?: readonly string[] | undefined
  readonly asn?: readonly number[] | undefined
  /** ISO 3166-1 alpha-2, uppercase. */
  readonly country?: readonly string[] | undefined
  /** See `textPattern`. */
  readonly userAgent?: readonly string[] | undefined
  /** See `textPattern`. */
  readonly ja4?: readonly string[] | undefined
  /** Names of the configuration's agents; `any` is each of them. */
  readonly agent?: readonly string[] | undefined
  readonly action?: readonly string[] | undefined
  /** `9-17`; with `zone`, else UTC. */
  readonly hour?: string | undefined
  readonly zone?: string | undefined
}

/** One condition, prepared. */
export interface Condition {
  /** `country is DE or FR` */
  readonly says: string
  /** undefined if unknown. */
  readonly holds: (visit: DescribedVisit) => boolean | undefined
}

/** @throws {Error} for values that the checks of the configuration refuse. */
export function conditionsOf(when: VisitConditions): readonly Condition[] {
  const { cidr, list, asn, country, userAgent, ja4, agent, action, hour, zone = 'UTC' } = when
  const conditions: Condition[] = []
  const add = (says: string, holds: Condition['holds']): void =>
    void conditions.push({ says, holds })

  if (cidr) add(`address in ${any(cidr)}`, inRanges(cidr))
  if (list) {
    add(
      `address on ${any(list)}`,
      ({ network }) => network && network.lists.some(({ name }) => list.includes(name)),
    )
  }
  if (asn) add(`network is ${any(asn)}`, ({ network }) => network && isOne(asn, network.asn))
  if (country)
    add(`country is ${any(country)}`, ({ network }) => network && isOne(country, network.country))
  if (userAgent) {
    const patterns = userAgent.map(textPattern)
    add(
      `user agent is like ${any(userAgent.map((each) => JSON.stringify(each)))}`,
      ({ userAgent: text }) =>
        text === undefined ? undefined : patterns.some((matches) => matches(text)),
    )
  }
  if (ja4) {
    const patterns = ja4.map(textPattern)
    add(`JA4 is like ${any(ja4)}`, ({ ja4: text }) =>
      text === undefined ? undefined : patterns.some((matches) => matches(text)),
    )
  }
  if (agent) {
    const every = agent.includes(ANY_AGENT)
    add(
      `agent is ${any(agent)}`,
      ({ agent: name }) => name !== undefined && (every || agent.includes(name)),
    )
  }
  if (action) add(`action is ${any(action)}`, (visit) => action.includes(visit.action))
  if (hour !== undefined) {
    const during = duringHours(sure(parseHours(hour)), zone)
    add(`hour is in ${hour} ${zone}`, ({ at }) => during(at))
  }
  return conditions
}

const any = (values: readonly (string | number)[]): string =>
  values.length > 3 ? `${values.slice(0, 3).join(', ')} … (${values.length})` : values.join(' or ')

const isOne = <T>(values: readonly T[], value: T | undefined): boolean =>
  value !== undefined && values.includes(value)

function inRanges(cidr: readonly string[]): Condition['holds'] {
  const set = rangeSet(cidr.map((text) => sure(parseAddressRange(text))))
  return ({ range }) => {
    if (range === undefined) return undefined
    const coverage = set.covers(range)
    return coverage === 'some' ? undefined : coverage === 'all'
  }
}

function sure<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('invalid rule in a checked configuration')
  return value
}
