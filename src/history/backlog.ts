import type { UnixSeconds } from '../domain/words.ts'
import type { Clock } from '../ports.ts'
import type { Bump, Counted, Counters } from './counters.ts'

/** Counts that nobody waits for. */
export interface Backlog {
  add(bump: Bump): void
  /** Sends what is left, and no more after it. */
  close(): Promise<void>
}

export interface BacklogParts {
  readonly clock: Clock
  readonly everyMs: number
  /** Subjects that wait at the most; what comes on top is lost. */
  readonly capacity?: number
  /** Told of each subject that was counted. */
  readonly learned: (bump: Bump, counted: Counted, now: UnixSeconds) => void
}

/** Subjects in one call to the store: some 2 ms of its time. */
const BATCH = 64

/**
 * Adds up, and sends a few times a second: however many verifications come in, a subject costs one count each time.
 * In a fault what waited is lost, and nobody is refused for it.
 */
export function backlog(counters: Counters, { clock, everyMs, capacity = 10_000, learned }: BacklogParts): Backlog {
  let waiting = new Map<string, Bump>()
  let sending = Promise.resolve()

  async function send(bumps: readonly Bump[]): Promise<void> {
    const now = clock.now()
    try {
      const counted = await counters.count(bumps, now)
      bumps.forEach((bump, i) => learned(bump, counted[i]!, now))
    } catch {
      // Lost, and said once by whoever asks on a request's path.
    }
  }

  function flush(): void {
    if (waiting.size === 0) return
    const bumps = [...waiting.values()]
    waiting = new Map()
    // One batch after the other, so that a slow store is not also a crowded one.
    for (let i = 0; i < bumps.length; i += BATCH) {
      const batch = bumps.slice(i, i + BATCH)
      sending = sending.then(() => send(batch))
    }
  }

  const timer = setInterval(flush, everyMs)
  timer.unref()

  return {
    add(bump) {
      const before = waiting.get(bump.subject)
      if (before) waiting.set(bump.subject, { ...bump, add: sum(before.add, bump.add), read: union(before, bump) })
      else if (waiting.size < capacity) waiting.set(bump.subject, bump)
    },
    async close() {
      clearInterval(timer)
      flush()
      await sending
    },
  }
}

function sum(a: Bump['add'], b: Bump['add']): Bump['add'] {
  const total: Record<string, number> = { ...a }
  for (const [field, by] of Object.entries(b)) total[field] = (total[field] ?? 0) + by
  return total
}

const union = (a: Bump, b: Bump): readonly string[] =>
  a.read === b.read ? a.read : [...new Set([...a.read, ...b.read])]
