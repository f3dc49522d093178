import type { SolveAnswer } from '../../src/wire.ts'
import { type Deadline, deadlineIn, wait, whenOver } from './clock.ts'
import { numberOf, WidgetError } from './errors.ts'
import { persist } from './retry.ts'
import { JWS, type Reply, type SolveBody, type Solved } from './service.ts'
import type { PressedStep } from './step.ts'
import type { Parts } from './widget.ts'
import type { KeptWork, WorkSupply } from './work-supply.ts'

export interface TokenKeeper {
  /** A token that was not handed to anybody; callers at the same time share one. Nobody waits: nothing is told. @throws {WidgetError} */
  obtain(by?: 'script' | 'form'): Promise<string>
  /** The token in hand while it may still be accepted, else ''. */
  readonly current: () => string
  /** Tells whether the token in hand can go with the form now: never twice, never in its last seconds. */
  readonly isForForm: () => boolean
  toForm(): void
  /** The token in hand, if no script was given it yet and no form left with it long ago; else a new one. */
  toScript(): Promise<string>
  /** Obtains a token by a second try. @param ticket the `step_up` of siteverify. */
  stepUp(ticket: string): Promise<string>
  dropToken(): void
  /** Renews or lets lapse, as the clock demands. To be called whenever the page wakes up. */
  review(): void
}

interface InHand {
  readonly token: string
  /** When it is to be renewed, and no longer goes with a form. */
  readonly leftMs: Deadline
  /** When the service no longer accepts it. */
  readonly endsMs: Deadline
  /** Kept word for word: only the same body is answered again. */
  readonly body: SolveBody
  readonly work: KeptWork
  form: Deadline | undefined
  script: boolean
}

/** Seconds that a pass is kept for the form; the service knows its life. */
const PASS_S = 600
/** Milliseconds a page has to fetch, by script, the token that its submit listener was told of. */
const WITH_FORM_MS = 5000

/**
 * Turns kept work into tokens, and keeps the one in hand fresh until it is used.
 *
 * @param confirm shows the step of a second try, and returns what is told of its press, as soon as there is one.
 */
export function tokenKeeper(
  { options, service, visit, tell, stop }: Parts,
  supply: WorkSupply,
  confirm: () => Promise<PressedStep>,
): TokenKeeper {
  /** By which the customer vouches for the visitor: goes with the first form in place of a token, once. */
  let pass = options.pass || takePass()
  /** The `step_up` of siteverify that the page was given. */
  let nextTicket = options.stepUp
  let inHand: InHand | undefined
  let obtaining: Promise<string> | undefined
  let cancel: (() => void) | undefined
  /** Once for each visit. */
  let mayStepUp = true

  function keep(answer: SolveAnswer, body: SolveBody, work: KeptWork): InHand {
    const lifeMs = answer.expires_in * 1000
    // Time for the form to arrive and to be verified; a quarter where the life is short.
    const leftMs = deadlineIn(lifeMs - Math.min(20_000, lifeMs / 4))
    cancel?.()
    cancel = whenOver(leftMs, review)
    const endsMs = deadlineIn(lifeMs)
    return (inHand = { token: answer.token, leftMs, endsMs, body, work, form: undefined, script: false })
  }

  function put(answer: SolveAnswer, body: SolveBody, work: KeptWork): string {
    const { token } = keep(answer, body, work)
    // Before the page hears of it: its listener may want the next one at once.
    obtaining = undefined
    tell({ is: 'minted', token })
    return token
  }

  async function mint(): Promise<string> {
    if (pass) {
      const answer = { token: pass, expires_in: PASS_S }
      pass = undefined
      // A form cannot be sent while its submit is still being told of.
      await wait(0)
      // Nothing renews a pass: its work is over.
      return put(answer, {} as SolveBody, { leftMs: deadlineIn(0) } as KeptWork)
    }
    let ticket = ''
    let pressed: Promise<PressedStep> | undefined
    // Its work is done while the visitor is asked.
    const askStep = (by: string): void => {
      ticket = by
      mayStepUp = false
      pressed = confirm()
    }
    if (nextTicket) askStep(nextTicket)
    nextTicket = ''
    for (let tries = 0; tries < 4; tries++) {
      const work = await supply.take(ticket)
      const { challenge, solution } = work
      const signals = visit.summarise(work, await pressed)
      const body: SolveBody = { challenge, solution, signals, ticket: work.ticket, step_up: mayStepUp ? '1' : '' }
      const reply = await persist(
        () => hand(body),
        options,
        () => tell({ is: 'delayed' }),
      )
      ticket = ''
      if (reply.is === 'again') continue
      if (reply.answer.token) return put(reply.answer as SolveAnswer, body, work)
      askStep(reply.answer.ticket!)
    }
    throw new WidgetError(300)
  }

  function obtain(by?: 'script' | 'form'): Promise<string> {
    if (by) tell({ is: 'wanted', by, progress: supply.progress() })
    obtaining ??= mint().catch((error: unknown) => {
      obtaining = undefined
      tell({ is: 'failed', code: numberOf(error) })
      throw error
    })
    return obtaining
  }

  function review(): void {
    const mine = inHand
    if (!mine || mine.leftMs() > 0) return
    if (options.refreshExpired !== 'auto' || mine.form || mine.work.leftMs() <= 0) return lapse(mine)
    hand(mine.body)
      .then((reply) => {
        if (inHand !== mine) return
        if (reply.is !== 'answer') return lapse(mine)
        // The same body has the same answer: a token.
        const { token } = keep(reply.answer as SolveAnswer, mine.body, mine.work)
        inHand.script = mine.script
        tell({ is: 'minted', token })
      })
      .catch(() => lapse(mine))
  }

  function lapse(mine: InHand): void {
    if (inHand !== mine) return
    dropToken()
    tell({ is: 'lapsed', spare: mine.form !== undefined && supply.progress() === 1 })
  }

  function dropToken(): void {
    cancel?.()
    inHand = undefined
  }

  const hand = (body: SolveBody): Promise<Reply<Solved>> => service.solve(body, stop)
  const isFresh = (): boolean => inHand !== undefined && inHand.leftMs() > 0

  return {
    obtain,
    // Good while its renewal is on the way.
    current: () => (inHand && inHand.endsMs() > 0 ? inHand.token : ''),
    isForForm: () => isFresh() && !inHand!.form,
    toForm() {
      if (inHand) inHand.form = deadlineIn(WITH_FORM_MS)
    },
    async toScript() {
      const usable = isFresh() && !inHand!.script && (inHand!.form?.() ?? 1) > 0
      const token = usable ? inHand!.token : await obtain('script')
      if (inHand) inHand.script = true
      return token
    },
    stepUp(ticket) {
      nextTicket = ticket
      dropToken()
      return this.toScript()
    },
    dropToken,
    review,
  }
}

/** Takes the pass out of the address, `#hv=…`: no server is sent it, and it is for the first widget that looks. */
function takePass(): string | undefined {
  const { href } = location
  const at = href.indexOf('#hv=')
  const pass = href.slice(at + 4)
  if (at < 0 || !JWS.test(pass)) return undefined
  history.replaceState(history.state, '', href.slice(0, at))
  return pass
}
