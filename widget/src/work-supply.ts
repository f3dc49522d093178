import type { ChallengeAnswer, ChallengeRequest } from '../../src/wire.ts'
import { deadlineIn, whenOver } from './clock.ts'
import { numberOf, WidgetError } from './errors.ts'
import { mainLane, workerRungs } from './lanes.ts'
import { setUpFault } from './options.ts'
import type { Parts } from './parts.ts'
import { callWithRetry } from './retry.ts'
import type { Reply } from './service.ts'
import { type KeptWork, solveWork } from './solver.ts'

export type WorkSupply = ReturnType<typeof workSupply>

/** Renewals without a touch of the visitor: an hour with challenges of the default lifetime. */
const RENEWALS = 6

/** Keeps solved work in stock, and renews it before its challenge expires. */
export function workSupply({ options, service, visit, tell, pause, stop, workerFile }: Parts) {
  const rungs = workerRungs(workerFile)
  const fault = setUpFault(options)
  let stock: KeptWork | undefined
  let pending: Promise<KeptWork> | undefined
  let shareDone = 0
  let renewals = 0
  let cancel: (() => void) | undefined

  async function ask(
    ticket: string,
    algorithm?: ChallengeRequest['algorithm'],
  ): Promise<Reply<ChallengeAnswer>> {
    if (fault) return { is: 'refused', code: fault }
    visit.noteWork()
    const { sitekey, action, cdata } = options
    const request = { sitekey, action, cdata, proof: 1, algorithm, ticket }
    const reply = await service.challenge(request, stop)
    // The site has no default action.
    return reply.is === 'refused' && reply.code === 105 && !action
      ? { is: 'refused', code: 101 }
      : reply
  }

  /** Requests work for a slow engine. @throws if this browser cannot do one unit of it. */
  async function askOther(ticket: string): Promise<Reply<ChallengeAnswer>> {
    const one = mainLane({
      key: new Int32Array(8),
      steps: 1,
      threshold: 0,
      isPb: true,
      mayAsk: false,
    })
    await one.run({ from: 0, to: 1 })
    return ask(ticket, 'pb.1')
  }

  async function produce(firstTicket: string): Promise<KeptWork> {
    let ticket = firstTicket
    for (let tries = 0; tries < 3; tries++) {
      const reply = await callWithRetry(() => ask(ticket), options, tell)
      if (reply.is === 'again') {
        // The ticket may have expired.
        ticket = ''
        continue
      }
      // Plain http has no Web Cryptography for other work.
      let work = await workOff(reply.answer, isSecureContext, ticket)
      if (!work) {
        // Without other work, a part of this one will do.
        const other = await askOther(ticket).catch(() => reply)
        work = await workOff(other.is === 'answer' ? other.answer : reply.answer, false, ticket)
      }
      // The tab may have been suspended.
      if (work && work.leftMs() > 0) return work
    }
    throw new WidgetError(300)
  }

  function onProgress(now: number): void {
    shareDone = now
    tell({ is: 'progressed', shareDone })
  }

  /** Resolves to undefined if the engine is slow and other work may be requested. */
  async function workOff(
    answer: ChallengeAnswer,
    mayAsk: boolean,
    ticket: string,
  ): Promise<KeptWork | undefined> {
    const { challenge, expires_in, proof } = answer
    // Leaves time for the request; a tenth if the challenge expires soon.
    const leftMs = deadlineIn(expires_in * 1000 - Math.min(15_000, expires_in * 100))
    visit.prove(proof)
    const isWhole = options.wholeWork
    const solved = await solveWork(answer, { rungs, onProgress, pause, stop, mayAsk, isWhole })
    return solved && { ...solved, challenge, leftMs, proof, ticket }
  }

  function begin(ticket = ''): void {
    shareDone = 0
    tell({ is: 'begun' })
    const mine = produce(ticket)
    pending = mine
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

  /** Starts work unless there is some. @param byVisitor whether the visitor caused it, so that it may be renewed again. */
  function start(byVisitor: boolean): void {
    if (byVisitor) renewals = 0
    if (stock && stock.leftMs() <= 0) drop()
    if (!stock && !pending) return begin()
    tell({ is: 'begun' })
    if (stock) tell({ is: 'worked' })
  }

  /** Replaces work that has expired. Also called whenever the page becomes visible. */
  function review(): void {
    if (!stock || stock.leftMs() > 0 || document.hidden) return
    drop()
    if (++renewals <= RENEWALS) begin()
    else tell({ is: 'aged' })
  }

  return {
    start,
    review,
    /** Resolves when there is work in stock. @throws {WidgetError} */
    async ready(): Promise<void> {
      start(true)
      await pending
    },
    /** Takes the work out of stock. @param ticket requests the work of a second try. @throws {WidgetError} */
    async takeWork(ticket: string): Promise<KeptWork> {
      if (ticket) {
        drop()
        begin(ticket)
      } else start(true)
      const work = stock ?? (await pending!)
      drop()
      return work
    },
    /** 0 to 1. */
    shareDone: (): number => (stock ? 1 : shareDone),
    end(): void {
      drop()
      pending = undefined
    },
  }
}
