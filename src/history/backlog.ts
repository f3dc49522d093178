import type { UnixSeconds } from '../domain/words.ts'
import type { Clock } from '../ports/stores.ts'
import type { Bump, Counted, Counters, Subject } from './counters.ts'

/** Counts that nobody waits for. */
export interface Backlog {
  add(subject: Subject, additions: Bump['add']): void
  /** Sends what is left, as far as the store takes it within a second. */
  close(): Promise<void>
}

export interface BacklogParts {
  readonly clock: Clock
  readonly everyMs: number
  /** Subjects that wait at the most, and as many again that are being sent; what comes on top is lost. */
  readonly capacity?: number
  /** Told of each subject that was counted. */
  readonly learned: (bump: Bump, counts: Counted, now: UnixSeconds) => void
  /** Told of each subject whose counts were lost: the store failed, or too much waited. */
  readonly lost: (bump: Bump) => void
}

/** A subject's counts, added up until they are sent. */
interface Waiting extends Omit<Subject, 'read'> {
  readonly add: Map<string, number>
  read: readonly string[]
}

/** Milliseconds. */
const LONGEST_CLOSE_MS = 1000
/** Subjects in one call to the store: some 2 ms of its time. */
const BATCH = 64

/**
 * Adds up, and sends a few times a second: however many verifications come in, a subject costs one count each time.
 * In a fault what waited is lost, and nobody is refused for it.
 */
export function backlog(
  counters: Counters,
  { clock, everyMs, capacity = 10_000, learned, lost }: BacklogParts,
): Backlog {
  let waiting = new Map<string, Waiting>()
  let sending: Promise<void> | undefined

  async function send(bumps: readonly Bump[]): Promise<void> {
    const now = clock.now()
    try {
      const counts = await counters.count(bumps, now)
      bumps.forEach((bump, i) => learned(bump, counts[i]!, now))
    } catch {
      // Said once by the caller on a request's path.
      bumps.forEach(lost)
    }
  }

  /** One batch after the other, so that a slow store is not also a crowded one. */
  async function sendAll(bumps: readonly Bump[]): Promise<void> {
    for (let i = 0; i < bumps.length; i += BATCH) await send(bumps.slice(i, i + BATCH))
    sending = undefined
  }

  /** While the store is slow, what comes waits where there is a bound. */
  function flush(): void {
    if (sending !== undefined || waiting.size === 0) return
    const bumps = Array.from(waiting.values(), (each) => ({ ...each, add: [...each.add] }))
    waiting = new Map()
    sending = sendAll(bumps)
  }

  async function sendRest(): Promise<void> {
    await sending
    flush()
    await sending
  }

  const timer = setInterval(flush, everyMs)
  timer.unref()

  return {
    add(subject, additions) {
      // A subject that is counted once is a call of its own.
      const name = subject.once === undefined ? subject.subject : `${subject.subject} ${subject.once}`
      const there = waiting.get(name)
      if (there) {
        if (subject.once !== undefined) return
        for (const [field, by] of additions) there.add.set(field, (there.add.get(field) ?? 0) + by)
        if (there.read !== subject.read) there.read = [...new Set([...there.read, ...subject.read])]
      } else if (waiting.size < capacity) {
        waiting.set(name, { ...subject, add: new Map(additions) })
      } else {
        lost({ ...subject, add: additions })
      }
    },
    async close() {
      clearInterval(timer)
      // Whatever is left after that is lost, as in any fault.
      let patience: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (patience = setTimeout(resolve, LONGEST_CLOSE_MS)))
      await Promise.race([sendRest(), late])
      clearTimeout(patience)
    },
  }
}
