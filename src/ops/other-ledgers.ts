import type { Log, OtherLedgers, StaleVisit } from '../ports/observing.ts'

/** Milliseconds that visits are counted together, and that a finding lasts after the last one. */
const WINDOW_MS = 60_000
/** Seconds that clocks may differ, and that instances may take to learn a new generation. */
const LATE = 5
/** Visits from so many addresses, or so many visits at all, are no accident and nobody's experiment. */
const MOST = { addresses: 3, challenges: 10 } as const

const SAYS =
  'another process with this keyring uses another ledger, so each refuses what the other issued: name one redis for all of them (docs/operate/redis.md)'

/** Finds out that another ledger issues challenges with our keys. */
export interface LedgerFinder extends OtherLedgers {
  /** Tells that this process begins to issue in another generation: older challenges are stale for that reason. */
  noteMove(): void
  /** Returns a sentence for operators while another ledger is at work, else undefined. */
  problem(): string | undefined
}

/**
 * A challenge that our key sealed after this process knew its generation, and that names another one, comes from
 * another ledger: two processes with embedded ledgers behind one balancer, or two databases.
 *
 * @param clock Unix milliseconds.
 */
export function otherLedgers({ clock, log }: { readonly clock: () => number; readonly log: Log }): LedgerFinder {
  let knownSince = clock()
  let from = 0
  let addresses = new Set<string>()
  let challenges = new Set<string>()
  /** When the last such visit came after it was found; undefined: nothing was found. */
  let foundAt: number | undefined

  function count({ jti, address }: StaleVisit, now: number): boolean {
    if (now - from > WINDOW_MS) {
      from = now
      addresses = new Set()
      challenges = new Set()
    }
    if (challenges.size < MOST.challenges) challenges.add(jti)
    if (address !== undefined && addresses.size < MOST.addresses) addresses.add(address)
    return addresses.size === MOST.addresses || challenges.size === MOST.challenges
  }

  const isFound = (now: number): boolean => foundAt !== undefined && now - foundAt <= WINDOW_MS

  return {
    stale(visit) {
      const now = clock()
      if (visit.issuedAt * 1000 < knownSince + LATE * 1000 || !count(visit, now)) return
      if (!isFound(now)) log.error('another ledger is at work', { detail: SAYS })
      foundAt = now
    },
    noteMove() {
      knownSince = clock()
    },
    problem: () => (isFound(clock()) ? SAYS : undefined),
  }
}
