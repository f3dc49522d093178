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
    of: 'an address (or /64), hashed',
    key: 'h:a:MARK:BUCKET',
    what: 'counts of challenges, solves, tokens, low scores, bad work; 48-bit challenge ids',
    until: '20 minutes; 2 if few and unsolved',
    why: 'work and score follow them',
  },
  {
    of: 'its network (IPv4 /24, IPv6 /48), hashed',
    key: 'h:n:NETWORK:BUCKET',
    what: 'the same counts, without wrong solutions',
    until: '20 minutes; 2 if few and unsolved',
    why: 'farms use many addresses of one network',
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
    what: 'a sketch, by keyed hash: how often each way of using the page was seen; no single visit',
    until: '20 minutes',
    why: 'recordings that are sent again, altered or not',
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
    what: 'times of a unit of work, in 24 classes; hashed networks, each once a day',
    until: '2 days',
    why: 'work takes no longer than the site allows',
  },
]

/** The table of docs/design/history.md. */
export const historyTable = (): string =>
  table(
    ['Of', 'What', 'Until', 'Why', 'Key'],
    KEPT.map(({ of, key, what, until, why }) => [of, what, until, why, `\`${key}\``]),
  )
