import { table } from './table.ts'

/** One kind of thing that history keeps: for docs/operate/privacy.md and docs/design/history.md, which are made from this table. */
interface Kept {
  /** Of whom, in words. */
  readonly of: string
  /** The key in Redis behind the prefix, with capitals for what varies. */
  readonly key: string
  readonly what: string
  /** The longest it can stay, in words. */
  readonly until: string
  readonly why: string
}

/** Everything that history keeps, in Redis or in the memory of the process. A test finds no key that is not here. */
export const KEPT: readonly Kept[] = [
  {
    of: 'a visitor’s address (IPv6: the /64), by a keyed hash',
    key: 'h:a:MARK:BUCKET',
    what: 'how many challenges, solves, verified tokens, wrong solutions, low scores and unfinished work, on each site and in all; 48 bits of the id of each challenge it solved, so that a repeat counts once',
    until: '20 minutes; 2 minutes if it never solved a challenge',
    why: 'work and score follow how often and with what success an address comes',
  },
  {
    of: 'the network around it (IPv4 /24, IPv6 /48), by a keyed hash',
    key: 'h:n:NETWORK:BUCKET',
    what: 'the same counts, without wrong solutions',
    until: '20 minutes; 2 minutes if nobody there solved a challenge',
    why: 'farms use many addresses of one network, so the work rises there',
  },
  {
    of: 'a site, or one of the actions it lists',
    key: 'h:s:PLACE:BUCKET',
    what: 'the same counts',
    until: '20 minutes',
    why: 'work rises while a site is far busier than usual',
  },
  {
    of: 'an eighth of all sites',
    key: 'h:k:SHARD:BUCKET',
    what: 'a sketch: counters of how often each way of using the page was seen (counts and rounded times, never what was typed), found by a keyed hash; no single visit can be read from it',
    until: '20 minutes',
    why: 'a recording that is sent again and again, altered or not, through one network or many',
  },
  {
    of: 'a site, or one of the actions it lists',
    key: 'h:d:PLACE:BUCKET',
    what: 'how many challenges, solves and parts of the work in a day',
    until: '2 days',
    why: 'what is usual there',
  },
  {
    of: 'a site',
    key: 'h:t:SITEKEY:BUCKET',
    what: 'how many visits needed how long for a unit of work, in 24 classes; keyed hashes of the networks that were counted, each once a day',
    until: '2 days',
    why: 'work never takes its visitors longer than the site allows',
  },
]

/** The table of docs/design/history.md. */
export const historyTable = (): string =>
  table(
    ['Of', 'What', 'Until', 'Why', 'Key'],
    KEPT.map(({ of, key, what, until, why }) => [of, what, until, why, `\`${key}\``]),
  )
