import type { SolveAnswer } from '../../src/wire.ts'
import { type Deadline, deadlineIn, wait, whenOver } from './clock.ts'
import { numberOf, WidgetError } from './errors.ts'
import type { Options } from './options.ts'
import type { Parts } from './parts.ts'
import { callWithRetry } from './retry.ts'
import { JWS, type Reply, type SolveBody, type Solved } from './service.ts'
import type { KeptWork } from './solver.ts'
import type { PressedStep } from './step.ts'
import type { WorkSupply } from './work-supply.ts'

export type TokenKeeper = ReturnType<typeof tokenKeeper>

/** What a token is renewed with: the service answers only the same body again. A pass cannot be renewed. */
interface Renewal {
  readonly body: SolveBody
  readonly work: KeptWork
}

interface InHand {
  readonly token: string
  /** Until it must be renewed, and can no longer go with a form. */
  readonly leftMs: Deadline
  /** Until the service no longer accepts it. */
  readonly endsMs: Deadline
  readonly renewal: Renewal | undefined
  /** Set when the token was sent with a form: a script may read the same token until this deadline. */
  form: Deadline | undefined
  /** True when a script has it. */
  script: boolean
}

/** How long a pass is kept for the form, in seconds; the service knows when it expires. */
const PASS_S = 600
/** The time in which a script may read the token that was sent with the form. */
const WITH_FORM_MS = 5000

/** Exchanges work for tokens, and renews the current token until it is used. @param confirm shows the step of a second try. */
export function tokenKeeper(
  { options, service, visit, tell, pause, stop }: Parts,
  supply: WorkSupply,
  confirm: () => Promise<PressedStep>,
) {
  /** Goes with the first form instead of a token, once. */
  let pass = options.pass || takePass(options)
  /** The `step_up` of siteverify. */
  let nextTicket = options.stepUp
  let inHand: InHand | undefined
  let obtaining: Promise<string> | undefined
  let cancel: (() => void) | undefined
  /** Once for each visit. */
  let mayStepUp = true

  function keep(answer: SolveAnswer, renewal?: Renewal): InHand {
    const lifeMs = answer.expires_in * 1000
    // Leaves time for the form to arrive and to be verified; a quarter if the token expires soon.
    const leftMs = deadlineIn(lifeMs - Math.min(20_000, lifeMs / 4))
    cancel?.()
    cancel = whenOver(leftMs, review)
    const endsMs = deadlineIn(lifeMs)
    const { token } = answer
    inHand = { token, leftMs, endsMs, renewal, form: undefined, script: false }
    return inHand
  }

  function put(answer: SolveAnswer, renewal?: Renewal): string {
    const { token } = keep(answer, renewal)
    // Before the event: a listener may request the next token.
    obtaining = undefined
    tell({ is: 'minted', token })
    return token
  }

  async function mint(): Promise<string> {
    if (pass) {
      const answer = { token: pass, expires_in: PASS_S }
      pass = undefined
      // A form cannot be sent during its submit event.
      await wait(0)
      return put(answer)
    }
    let ticket = ''
    let step: Promise<PressedStep> | undefined
    // The work continues while the step is shown.
    const askStep = (by: string): void => {
      ticket = by
      mayStepUp = false
      step = confirm()
    }
    if (nextTicket) askStep(nextTicket)
    nextTicket = ''
    for (let tries = 0; tries < 4; tries++) {
      const work = await supply.takeWork(ticket)
      const { challenge, solution } = work
      const signals = visit.summarise(work, await step)
      const body: SolveBody = {
        challenge,
        solution,
        signals,
        ticket: work.ticket,
        step_up: mayStepUp ? '1' : '',
      }
      const reply = await callWithRetry(() => hand(body), options, tell)
      ticket = ''
      if (reply.is === 'again') continue
      if (reply.answer.token) return put(reply.answer as SolveAnswer, { body, work })
      askStep(reply.answer.ticket!)
    }
    throw new WidgetError(300)
  }

  /** Requests a new token; simultaneous callers share one. @param by who waits for it, if any. @throws {WidgetError} */
  function obtain(by?: 'script' | 'form'): Promise<string> {
    if (by) tell({ is: 'wanted', by, shareDone: supply.shareDone() })
    obtaining ??= mint().catch((error: unknown) => {
      obtaining = undefined
      tell({ is: 'failed', code: numberOf(error) })
      throw error
    })
    return by ? pause.during(obtaining) : obtaining
  }

  /**
   * Renews the token or lets it expire when its time is over. Also called whenever the page becomes visible.
   *
   * A token that was sent with the form is renewed as well: the page may have stopped the submit to ask for a second factor, and send the
   * form by a script minutes later. The renewed token is the same entry of the ledger, so it counts only if the first was not used.
   */
  function review(): void {
    const mine = inHand
    if (!mine || mine.leftMs() > 0) return
    const { renewal } = mine
    if (options.refreshExpired !== 'auto' || !renewal || renewal.work.leftMs() <= 0)
      return expire(mine)
    hand(renewal.body)
      .then((reply) => {
        if (inHand !== mine) return
        if (reply.is !== 'answer') return expire(mine)
        const { token } = keep(reply.answer as SolveAnswer, renewal)
        inHand.form = mine.form
        inHand.script = mine.script
        tell({ is: 'minted', token })
      })
      .catch(() => expire(mine))
  }

  /** Lets a token lapse: one that was sent with the form stays there for a script as long as the service accepts it. */
  function expire(mine: InHand): void {
    if (inHand !== mine) return
    if (!mine.form || mine.endsMs() <= 0) return lapse(mine)
    cancel?.()
    cancel = whenOver(mine.endsMs, () => lapse(mine))
  }

  function lapse(mine: InHand): void {
    if (inHand !== mine) return
    dropToken()
    tell({ is: 'lapsed', spare: mine.form !== undefined && supply.shareDone() === 1 })
  }

  function dropToken(): void {
    cancel?.()
    inHand = undefined
  }

  const hand = (body: SolveBody): Promise<Reply<Solved>> => service.solve(body, stop)
  const isFresh = (): boolean => inHand !== undefined && inHand.leftMs() > 0

  return {
    obtain,
    /** Returns the token while the service accepts it, else ''. */
    current: (): string => (inHand && inHand.endsMs() > 0 ? inHand.token : ''),
    /** Reports whether the token can be sent with the form: never twice, and not in its last seconds. */
    isForForm: (): boolean => isFresh() && !inHand!.form,
    toForm(): void {
      if (inHand) inHand.form = deadlineIn(WITH_FORM_MS)
    },
    /** Returns a token that no script has and no form was sent with long ago. Simultaneous calls wait for one request, and get one each. */
    async toScript(): Promise<string> {
      const isUsable = (): boolean => isFresh() && !inHand!.script && (inHand!.form?.() ?? 1) > 0
      while (!isUsable()) await obtain('script')
      inHand!.script = true
      return inHand!.token
    },
    /** Requests a token by a second try. @param ticket the `step_up` of siteverify. */
    stepUp(ticket: string): Promise<string> {
      nextTicket = ticket
      dropToken()
      return this.toScript()
    },
    dropToken,
    review,
  }
}

/** Takes the pass out of the page's address, `#hv=…`, if it claims to be one for this form: any page can link here. */
function takePass({ sitekey }: Options): string | undefined {
  const { href } = location
  const at = href.indexOf('#hv=')
  const pass = href.slice(at + 4)
  if (at < 0 || !JWS.test(pass)) return undefined
  try {
    const claims = JSON.parse(atob(pass.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/'))) as {
      readonly aud?: unknown
    }
    if (claims.aud !== sitekey) return undefined
  } catch {
    return undefined
  }
  history.replaceState(history.state, '', href.slice(0, at))
  return pass
}
