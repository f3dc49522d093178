/** One kind of thing that history keeps; docs/operate/privacy.md is made from this table. */
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
    what: 'how many challenges it solved, and how many in part; 48-bit challenge ids',
    until: '20 minutes',
    why: 'the work follows them',
  },
  {
    of: 'its network (IPv4 /24, IPv6 /48), hashed',
    key: 'h:n:NETWORK:BUCKET',
    what: 'the same counts',
    until: '20 minutes',
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
    of: 'a way of using a page that shows much, by a keyed hash',
    key: 'h:b:CELL:BUCKET',
    what: 'the same counts; no visit and no address',
    until: '20 minutes',
    why: 'recordings that are sent again',
  },
  {
    of: 'a site, or one of the actions it lists',
    key: 'h:d:PLACE:BUCKET',
    what: 'the same counts, of a day',
    until: '2 days',
    why: 'what is usual there',
  },
]
