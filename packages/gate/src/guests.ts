/** Which guest a visitor is: by its address, by its own word, or none. */
import type { Fetched } from './fetched-lists.ts'
import { GUEST_LISTS, type Guest, GUESTS, type ListName } from './guest-lists.ts'
import { claimed, type Identity, UNKNOWN } from './identity.ts'
import { parseRange, RangeTable } from './ranges.ts'
import type { RuleSettings } from './settings.ts'
import type { Visit } from './visit.ts'

type Known = (typeof GUESTS)[number]

/** The guests of one configuration: those that ship, with the ranges that were fetched. */
export class Guests {
  readonly #byAddress = new RangeTable<Identity>()

  constructor(fetched: Fetched = {}) {
    for (const guest of GUESTS)
      for (const written of fetched[guest.name]?.ranges ?? guest.ranges ?? [])
        this.#byAddress.add(parseRange(written)!, verified(guest))
  }

  identify({ address, headers }: Visit): Identity {
    const [here] = this.#byAddress.find(address)
    if (here) return here
    const [named] = ANY_CLAIM.exec(headers['user-agent'] ?? '') ?? []
    return named === undefined ? UNKNOWN : CLAIMED.get(named)!
  }
}

/** Who says that it is a guest, by the part of the user agent that says so. */
const CLAIMED: ReadonlyMap<string, Identity> = new Map(
  GUESTS.flatMap(({ agent, name }) => (agent === undefined ? [] : [[agent, claimed(name)]])),
)
/** Finds any of these parts in one pass over a user agent. */
const ANY_CLAIM = new RegExp(
  [...CLAIMED.keys()]
    .map((agent) => agent.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    .join('|'),
)

/** Returns those of some guests and lists whose machines have published host names, by the names of the guests. */
export const guestsWithHosts = (names: ReadonlySet<string>): ReadonlyMap<string, Known> =>
  new Map(
    GUESTS.filter(({ hosts, name, list }) => hosts && (names.has(name) || names.has(list))).map(
      (guest) => [guest.name, guest],
    ),
  )

/** Returns who a visitor is that is proven to be a guest. */
export const verified = ({ name, list }: Pick<Known, 'name' | 'list'>): Identity => ({
  strength: 'verified',
  name,
  guest: [name, list],
  agent: undefined,
})

/** Returns the rules that let in the guests of some lists. They come after all rules of the owner. */
export const rulesOfGuests = (lists: readonly ListName[]): RuleSettings[] =>
  lists.flatMap((list) =>
    GUEST_LISTS[list].guests.map((guest) => ({
      name: guest.name,
      when: conditionOf(guest),
      effect: 'allow' as const,
    })),
  )

const conditionOf = ({ when, ranges, name }: Guest): RuleSettings['when'] => ({
  ...when,
  ...(ranges && { guest: [name] }),
})

/** Names those guests of a list that need a path: `guests` alone lets none of them in. */
export const needingPath = (names: readonly string[]): string[] =>
  GUESTS.filter(
    ({ name, list, needsPath }) => needsPath && (names.includes(name) || names.includes(list)),
  ).map(({ name }) => name)

const DAY = 86_400_000
const FRESH_DAYS = 60

/** Says which of some lists are so old that operators may have changed their ranges since. @param now milliseconds. */
export const oldGuests = (names: readonly string[], fetched: Fetched, now: number): string[] =>
  GUESTS.filter(
    ({ name, list, published }) => published && (names.includes(list) || names.includes(name)),
  ).flatMap((guest) => {
    const { date, ranges } = fetched[guest.name] ?? { date: guest.date, ranges: guest.ranges ?? [] }
    if (ranges.length === 0) return [`${guest.name}: no ranges yet; run: hv-gate lists fetch`]
    const days = Math.floor((now - Date.parse(date)) / DAY)
    return days > FRESH_DAYS
      ? [`${guest.name}: ranges are ${days} days old; run: hv-gate lists fetch`]
      : []
  })
