/** The named guests that ship with the gate: programs that sites commonly let in, and what is known of each. */
import { readOwnFile } from './own-files.ts'

export interface Guest {
  readonly name: string
  /** A part of its user agent. It opens nothing: everybody can write it. */
  readonly agent?: string
  /** Where its operator says what stands here. */
  readonly source: string
  readonly note?: string
  /** Where its operator publishes its ranges, and the member of that JSON which has them. */
  readonly published?: { readonly url: string; readonly member?: string }
  /** Its ranges; undefined for one that is known by paths alone. */
  readonly ranges?: readonly string[]
  /** Domains that its operator names its machines in, where its documentation says so: `search.msn.com`. */
  readonly hosts?: readonly string[]
  /** Whether everybody can have it ask for any path, so that it is let in only where a rule names the path. */
  readonly needsPath?: true
  /** What it asks for, as a rule says it. */
  readonly when: {
    path?: string[]
    query?: string[]
    method?: string[]
    header?: Record<string, string>
  }
}
export interface GuestList {
  readonly about: string
  /** Of the copy of what operators publish that the ranges were compared with, but for guests whose note says otherwise. */
  readonly date: string
  readonly guests: readonly Guest[]
}

export const LIST_NAMES = [
  'search-engines',
  'previews',
  'monitors',
  'feeds',
  'package-clients',
  'archives',
  'webhooks',
  'crawlers-files',
] as const
export type ListName = (typeof LIST_NAMES)[number]

const read = (name: string): GuestList =>
  JSON.parse(readOwnFile('lists', `${name}.json`)) as GuestList
export const GUEST_LISTS = Object.fromEntries(
  LIST_NAMES.map((name) => [name, read(name)]),
) as Readonly<Record<ListName, GuestList>>

/** Every guest, with the name of its list. */
export const GUESTS = LIST_NAMES.flatMap((list) =>
  GUEST_LISTS[list].guests.map((guest) => ({ ...guest, list, date: GUEST_LISTS[list].date })),
)
/** Names that `when: {guest: …}` takes: of guests that are known by their addresses, and of lists that have some. */
export const GUEST_NAMES = [
  ...new Set(
    GUESTS.filter(({ ranges }) => ranges !== undefined).flatMap(({ name, list }) => [list, name]),
  ),
]
