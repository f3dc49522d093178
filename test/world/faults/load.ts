import type { Answer, Books, Visit } from './books.ts'
import { sleep } from './moments.ts'
import type { Solver } from './solver.ts'

/** How many of a long run come back: the first ones are lost with a whole store, the last ones with its newest entries. */
const [OLDEST, NEWEST] = [40, 60]

/** The three kinds of client of docs/design/threats.md, "The common criterion", at work all through a fault. */
export type Load = ReturnType<typeof startLoad>

export interface LoadOptions {
  readonly users?: number
  readonly replayers?: number
  /** Milliseconds between the visits of one client. */
  readonly pauseMs?: number
}

/**
 * @param urls where the instances are; every client takes any of them for every request.
 * @param newcomers whose work does not wait behind that of the others, for `fresh`.
 */
export function startLoad(
  books: Books,
  urls: readonly string[],
  newcomers: Solver,
  options: LoadOptions = {},
) {
  const { users = 3, replayers = 2, pauseMs = 150 } = options
  /** What genuine users got for the token that was theirs; `answer` is undefined when they never got one. */
  const genuine: { at: number; answer: Answer | undefined }[] = []
  const spent: Visit[] = []
  let held: Visit[] = []
  const end = new AbortController()
  const everywhere = (visit: Visit, token?: string) =>
    Promise.all(urls.map((url) => books.spend(visit, url, token)))

  async function user(): Promise<void> {
    for (; !end.signal.aborted; await sleep(pauseMs)) {
      const at = performance.now()
      const visit = await books.visit(any(urls), any(urls))
      const answer = visit && (await books.spend(visit, any(urls)))
      genuine.push({ at, answer })
      if (visit && visit.accepted > 0) spent.push(visit)
    }
  }

  async function replayer(): Promise<void> {
    for (; !end.signal.aborted; await sleep(pauseMs)) {
      const visit = await books.visit(any(urls), any(urls))
      if (visit) {
        await Promise.all([everywhere(visit), everywhere(visit)])
        if (visit.accepted > 0) spent.push(visit)
      }
      if (spent.length > 0) await books.spend(any(spent), any(urls))
    }
  }

  const loops = [
    ...Array.from({ length: users }, user),
    ...Array.from({ length: replayers }, replayer),
  ]
  return {
    genuine,
    /** Hoarders solve so many challenges and keep the tokens. */
    async hoard(count: number) {
      while (held.length < count && !end.signal.aborted) {
        const visit = await books.visit(any(urls), any(urls))
        if (visit) held.push(visit)
        else await sleep(50)
      }
    },
    /** Hoarders spend their tokens for the first time, at all instances concurrently. */
    async releaseHoard() {
      const releasing = held
      held = []
      for (const visit of releasing) {
        await everywhere(visit)
        spent.push(visit)
      }
    },
    /** Replayers come back with what they got in with, with a renewed token and with other signals too. */
    async replayAll() {
      const many = spent.length > OLDEST + NEWEST
      const again = many ? [...spent.slice(0, OLDEST), ...spent.slice(-NEWEST)] : spent.slice()
      for (const [i, visit] of again.entries()) {
        await everywhere(visit)
        if (i % 4 !== 0) continue
        await Promise.all([books.renew(visit, any(urls)), books.regrind(visit, any(urls))])
        await everywhere(visit, visit.tokens.at(-1))
      }
    },
    /**
     * Somebody new comes to this instance until one gets in.
     *
     * @returns milliseconds since the store was back when they asked for their challenge: from then on, fresh ones verify;
     *   work and waiting for our own CPU come after.
     * @throws {Error} after 20 s.
     */
    async fresh(url: string, since: number) {
      for (; performance.now() - since < 20_000; await sleep(20)) {
        const asked = performance.now() - since
        const visit = await books.visit(url, url, newcomers)
        const accepted = visit && (await books.spend(visit, url)).body['success'] === true
        if (accepted === true) return asked
      }
      throw new Error(`nobody new got in at ${url} for 20 s`)
    },
    /** Ends the loops, and waits for the requests in flight. */
    async stop() {
      end.abort()
      await Promise.all(loops)
    },
  }
}

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
