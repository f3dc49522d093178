import { describe, expect, test } from '@jest/globals'
import { type Books, openBooks, VISITOR_IP } from './books.ts'
import { closeLater } from '../../support/close-later.ts'
import { ORIGIN, SECRET } from '../../support/process.ts'
import { type Instance, KEY, type Ledger } from './instance.ts'
import { type Load, type LoadOptions, startLoad } from './load.ts'
import { sleep } from './moments.ts'
import { startSolver } from './solver.ts'

/** What a fault happens to: a store, and the instances that share it. */
export interface Stand {
  readonly instances: readonly Instance[]
  /** Where clients send requests; undefined: to each instance. */
  readonly urls?: readonly string[]
}

/** One run through one fault. Times in milliseconds of `performance.now()`. */
export interface Run<S extends Stand> {
  readonly stand: S
  readonly load: Load
  readonly books: Books
  readonly struckAt: number
  /** When the store was back, so that from then on people can get in. */
  backAt: number
  /** Milliseconds from `backAt` until visitors with a new challenge got in at every instance. */
  freshFrom: number
}

export interface Fault<S extends Stand> {
  /** As in docs/design/threats.md, "Faults". */
  readonly id: string
  readonly what: string
  /** Milliseconds until fresh challenges verify again, at every instance; 3,000 if omitted. */
  readonly freshWithin?: number
  /** A plain ledger loses entries here, so the control must accept twice, or this test sees nothing. */
  readonly doubles?: true
  /** In the part that runs for every submission; `ours`: there without its control, which takes long. */
  readonly ci?: boolean | 'ours'
  readonly load?: LoadOptions
  /** Milliseconds that a run may take; two minutes if omitted. */
  readonly timeoutMs?: number
  readonly skip?: string | undefined
  /** What it opens ends with the run. */
  stand(ledger: Ledger): Promise<S>
  /** Makes the fault happen and end; resolves when the store is back. */
  strike(run: Run<S>): Promise<void>
  /** Further checks of the product. */
  holds?(run: Run<S>): void | Promise<void>
}

/** Only the part for every submission. */
const QUICK = process.env['HV_FAULTS'] === 'ci'

/** Two tests: the product keeps its promise, and the control shows that this run would have seen it broken. */
export function fault<S extends Stand>(each: Fault<S>): void {
  const { freshWithin = 3000 } = each
  if (QUICK && (each.ci ?? false) === false) return
  // Only if the machine has no network namespaces, as the message explains.
  const testOrSkip = each.skip === undefined ? test : test.skip
  describe(`${each.id}, ${each.what}${each.skip === undefined ? '' : `: skipped, ${each.skip}`}`, () => {
    testOrSkip(
      `nothing is accepted twice; fresh challenges verify within ${freshWithin} ms`,
      async () => {
        await passThrough(each, 'product', async (run) => {
          expect(broken(run)).toEqual([])
          expect(twice(run)).toBe(0)
          expect(run.freshFrom).toBeLessThan(freshWithin)
          await each.holds?.(run)
        })
      },
      each.timeoutMs,
    )
    if (!each.doubles || (QUICK && each.ci === 'ours')) return
    testOrSkip('a plain SET NX ledger accepts twice here, so the test can see', async () => {
      await passThrough(each, 'naive', (run) => expect(twice(run)).toBeGreaterThan(0))
    })
  })
}

/** Load, fault, recovery, hoarders and replayers, count. */
async function passThrough<S extends Stand>(
  each: Fault<S>,
  ledger: Ledger,
  judge: (run: Run<S>) => unknown,
) {
  const [solver, newcomers] = [startSolver(), startSolver()]
  const stand = await each.stand(ledger)
  const { instances, urls = instances.map(({ url }) => url) } = stand
  const books = openBooks(solver)
  const load = closeLater(startLoad(books, urls, newcomers, each.load), (it) => it.stop())
  await Promise.all(urls.map((url) => load.fresh(url, performance.now())))
  await load.hoard(15)
  await sleep(500)

  const run: Run<S> = { stand, load, books, struckAt: performance.now(), backAt: 0, freshFrom: 0 }
  await each.strike(run)
  if (run.backAt === 0) await recover(run)
  await load.releaseHoard()
  await load.replayAll()
  await load.stop()
  await judge(run)
}

/** The store is back: waits until a new visitor is accepted at every instance, and notes the time of the request. */
export async function recover<S extends Stand>(run: Run<S>): Promise<void> {
  const { instances, urls = instances.map(({ url }) => url) } = run.stand
  run.backAt = performance.now()
  run.freshFrom = Math.max(
    ...(await Promise.all(urls.map((url) => run.load.fresh(url, run.backAt)))),
  )
}

/** How many visits got in more than once. */
const twice = <S extends Stand>({ books }: Run<S>): number =>
  books.visits.filter(({ accepted }) => accepted > 1).length

/** Violations of docs/design/threats.md, "The common criterion", apart from the count of doubles. */
function broken<S extends Stand>({ books, stand }: Run<S>): string[] {
  const all = stand.instances.map((instance) => instance.said()).join('')
  const solutions = books.visits.slice(-50).map(({ request }) => request.solution)
  const secrets = [SECRET, KEY, VISITOR_IP, ...solutions]
  return [
    ...new Set(books.problems),
    ...books.visits
      .filter(({ bodies }) => bodies > 1)
      .map(() => 'a challenge gave tokens for two bodies'),
    ...stand.instances.filter((instance) => instance.crashed()).map(({ url }) => `${url} crashed`),
    ...stand.instances.map((instance) => instance.complaints()).filter((text) => text !== ''),
    ...(all.includes(ORIGIN.slice('https://'.length))
      ? []
      : ['the log is empty, so this shows nothing']),
    ...secrets
      .filter((secret) => all.includes(secret))
      .map((secret) => `logged: ${secret.slice(0, 12)}…`),
    // Longer than an id: among thousands of random ones, some have these three letters.
    ...(/eyJ[\w-]{24}/.test(all) ? ['a token is in the log'] : []),
  ]
}
