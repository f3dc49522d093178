import type { ChallengeAnswer, ChallengeRequest, WireProof } from '../../src/wire.ts'
import { type Deadline, deadlineIn, whenOver } from './clock.ts'
import { numberOf, WidgetError } from './errors.ts'
import { mainLane, workerRungs } from './lanes.ts'
import { setUpFault } from './options.ts'
import { persist } from './retry.ts'
import type { Reply } from './service.ts'
import { type Solved, solveWork } from './solver.ts'
import type { Parts } from './widget.ts'

/** Work that is done and kept, to be handed in when a token is wanted. */
export interface KeptWork extends Solved {
  readonly challenge: string
  /** The proof that the challenge asks of a browser. */
  readonly proof: WireProof | undefined
  /** The ticket of a second try that the challenge was issued for; empty: none. */
  readonly ticket: string
  /** The end of the challenge, a little early. */
  readonly leftMs: Deadline
}

export interface WorkSupply {
  /** Sees to it that work is done or under way. `touched`: the visitor is here, so it may be renewed when it grows old. */
  start(touched: boolean): void
  /**
   * Takes the work away, and begins no other.
   * @param ticket asks for the work of a second try; empty: the ordinary one.
   * @throws {WidgetError} when there is none to be had.
   */
  take(ticket: string): Promise<KeptWork>
  /** 0 to 1. */
  progress(): number
  /** Replaces work that has grown old. To be called whenever the page wakes up. */
  review(): void
  end(): void
}

/** Renewals in a row without the visitor: an hour at the default life of a challenge, then the next touch begins anew. */
const RENEWALS = 6

/** Keeps one piece of solved work in stock: asks, solves, and renews it before its challenge ends. */
export function workSupply({ options, service, visit, tell, stop, workerFile }: Parts): WorkSupply {
  const rungs = workerRungs(workerFile)
  const fault = setUpFault(options)
  let stock: KeptWork | undefined
  let pending: Promise<KeptWork> | undefined
  let progress = 0
  let renewals = 0
  let cancel: (() => void) | undefined

  async function ask(ticket: string, algorithm?: ChallengeRequest['algorithm']): Promise<Reply<ChallengeAnswer>> {
    if (fault) return { is: 'refused', code: fault }
    visit.working()
    const { sitekey, action, cdata } = options
    const request = { sitekey, action, cdata, proof: 1, algorithm, ticket }
    const reply = await service.challenge(request, stop)
    // The site has no default.
    return reply.is === 'refused' && reply.code === 105 && !action ? { is: 'refused', code: 101 } : reply
  }

  /** Asks for work that suits a slow engine. @throws where this browser cannot do one unit of that either. */
  async function askOther(ticket: string): Promise<Reply<ChallengeAnswer>> {
    const one = mainLane({ key: new Int32Array(8), steps: 1, threshold: 0, isPb: true, mayAsk: false })
    await one.run({ from: 0, to: 1 })
    return ask(ticket, 'pb.1')
  }

  async function produce(ticket: string): Promise<KeptWork> {
    for (let tries = 0; tries < 3; tries++) {
      const reply = await persist(
        () => ask(ticket),
        options,
        () => tell({ is: 'delayed' }),
      )
      if (reply.is === 'again') {
        // An expired ticket: the visit continues without it.
        ticket = ''
        continue
      }
      // On plain http there is no cryptography of the browser's.
      let work = await workOff(reply.answer, isSecureContext, ticket)
      if (!work) {
        // Once only: if the service refuses other work, or is unreachable, a part of this work is handed in.
        const other = await askOther(ticket).catch(() => reply)
        work = await workOff(other.is === 'answer' ? other.answer : reply.answer, false, ticket)
      }
      // The tab may have slept over it.
      if (work && work.leftMs() > 0) return work
    }
    throw new WidgetError(300)
  }

  const progressed = (now: number): void => tell({ is: 'progressed', progress: (progress = now) })

  /** @returns undefined when the engine is slow, and other work may be asked for. */
  async function workOff(answer: ChallengeAnswer, mayAsk: boolean, ticket: string): Promise<KeptWork | undefined> {
    const { challenge, expires_in, proof } = answer
    // Early enough for the request to arrive; a tenth of the life where that is short.
    const leftMs = deadlineIn(expires_in * 1000 - Math.min(15_000, expires_in * 100))
    visit.prove(proof)
    const solved = await solveWork(answer, { rungs, progressed, stop, mayAsk })
    return solved && { ...solved, challenge, leftMs, proof, ticket }
  }

  function begin(ticket = ''): void {
    progress = 0
    tell({ is: 'begun' })
    const mine = (pending = produce(ticket))
    mine
      .then((work) => {
        if (pending !== mine) return
        stock = work
        pending = undefined
        cancel = whenOver(work.leftMs, review)
        tell({ is: 'worked' })
      })
      .catch((error: unknown) => {
        if (pending !== mine) return
        pending = undefined
        tell({ is: 'failed', code: numberOf(error) })
      })
  }

  function drop(): void {
    cancel?.()
    stock = undefined
  }

  function start(touched: boolean): void {
    if (touched) renewals = 0
    if (stock && stock.leftMs() <= 0) drop()
    if (!stock && !pending) return begin()
    tell({ is: 'begun' })
    if (stock) tell({ is: 'worked' })
  }

  function review(): void {
    if (!stock || stock.leftMs() > 0 || document.hidden) return
    drop()
    if (++renewals <= RENEWALS) begin()
    else tell({ is: 'aged' })
  }

  return {
    start,
    review,
    async take(ticket) {
      if (ticket) {
        drop()
        begin(ticket)
      } else start(true)
      const work = stock ?? (await pending!)
      drop()
      return work
    },
    progress: () => (stock ? 1 : progress),
    end() {
      drop()
      pending = undefined
    },
  }
}
