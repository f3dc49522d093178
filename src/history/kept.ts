/** One kind of thing that history keeps: for docs/privacy.md and docs/history.md, which are made from this table. */
export interface Kept {
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
    what: 'how many challenges, solves, verified tokens, wrong solutions, low scores and unfinished work; 48 bits of the id of each challenge it solved, so that a repeat counts once',
    until: '20 minutes; 2 minutes if it never solved a challenge',
    why: 'work and score follow how often and with what success an address comes',
  },
  {
    of: 'the network around it (IPv4 /24, IPv6 /48), by a keyed hash',
    key: 'h:n:NETWORK:BUCKET',
    what: 'the same counts; 48-bit keyed hashes of how its visitors used the page (counts and rounded times, never what was typed), and how often each came',
    until: '20 minutes; 2 minutes if nobody there solved a challenge',
    why: 'farms use many addresses of one network, and the same recording again and again',
  },
  {
    of: 'a site, or one of the actions it lists',
    key: 'h:s:PLACE:BUCKET',
    what: 'the same counts',
    until: '20 minutes',
    why: 'work rises while a site is far busier than usual',
  },
  {
    of: 'a site, or one of the actions it lists',
    key: 'h:b:PLACE/LETTER:BUCKET',
    what: 'the 48-bit keyed hashes of how the page was used, and how often each came',
    until: '20 minutes',
    why: 'a recording that is sent through many networks',
  },
  {
    of: 'a site, or one of the actions it lists',
    key: 'h:d:PLACE:BUCKET',
    what: 'how many challenges in a day',
    until: '2 days',
    why: 'what is usual there',
  },
  {
    of: 'a site',
    key: 'h:t:SITEKEY:BUCKET',
    what: 'how many visits needed how long for a unit of work, in 24 classes',
    until: '2 days',
    why: 'work never takes its visitors longer than the site allows',
  },
]
