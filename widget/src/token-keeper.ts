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

/** How a token was used. */
interface Use {
  /** Set when it was sent with a form: a script may read the same token until this deadline. */
  form: Deadline | undefined
  /** True when a script has it. */
  script: boolean | undefined
}

interface CurrentToken extends Use {
  readonly token: string
  /** Until it must be renewed, and can no longer go with a form. */
  readonly leftMs: Deadline
  /** Until the service no longer accepts it. */
  readonly endsMs: Deadline
  readonly renewal: Renewal | undefined
}

/** How long a pass is kept for the form, in seconds; the service knows when it expires. */
const PASS_S = 600
/** The time in which a script may read the token that was sent with the form. */
const WITH_FORM_MS = 5000

/**
 * Exchanges work for tokens, and renews the current token until it is used.
 *
 * @param showStep shows the step of a second try, and resolves when it has ended.
 */
export function tokenKeeper(
  { options, service, visit, tell, pause, stop }: Parts,
  supply: WorkSupply,
  showStep: () => Promise<PressedStep>,
) {
  /** Goes with the first form instead of a token, once. */
  let pass = options.pass || takePass(options)
  /** The `step_up` of siteverify. */
  let nextTicket = options.stepUp
  let current: CurrentToken | undefined
  /** The next token, while it is requested. */
  let next: Promise<string> | undefined
  let cancel: (() => void) | undefined
  /** Once for each visit. */
  let mayStepUp = true

  const solve = (body: SolveBody): Promise<Reply<Solved>> => service.solve(body, stop)

  /**
   * Makes the token of an answer the current one, until `review` renews it or lets it expire.
   *
   * @param used how the token that it renews was used.
   * @returns the token.
   */
  function setCurrent(answer: SolveAnswer, renewal?: Renewal, used?: Use): string {
    const lifeMs = answer.expires_in * 1000
    // Leaves time for the form to arrive and to be verified; a quarter if the token expires soon.
    const leftMs = deadlineIn(lifeMs - Math.min(20_000, lifeMs / 4))
    cancel?.()
    cancel = whenOver(leftMs, review)
    const endsMs = deadlineIn(lifeMs)
    const { token } = answer
    current = { token, leftMs, endsMs, renewal, form: used?.form, script: used?.script }
    return token
  }

  /** Ends a request with the token of its answer. */
  function finish(answer: SolveAnswer, renewal?: Renewal): string {
    const token = setCurrent(answer, renewal)
    // Before the event: a listener may request the next token.
    next = undefined
    tell({ is: 'minted', token })
    return token
  }

  async function usePass(token: string): Promise<string> {
    pass = undefined
    // A form cannot be sent during its submit event.
    await wait(0)
    return finish({ token, expires_in: PASS_S })
  }

  /** Exchanges work for a token; the service may ask for a step and for other work instead. @throws {WidgetError} */
  async function exchangeWork(): Promise<string> {
    let ticket = ''
    let step: Promise<PressedStep> | undefined
    // The work continues while the step is shown.
    const askStep = (by: string): void => {
      ticket = by
      mayStepUp = false
      step = showStep()
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
      const reply = await callWithRetry(() => solve(body), options, tell)
      ticket = ''
      if (reply.is === 'again') continue
      if (reply.answer.token) return finish(reply.answer as SolveAnswer, { body, work })
      askStep(reply.answer.ticket!)
    }
    throw new WidgetError(300)
  }

  /** Requests a new token; simultaneous callers share one. @param by who waits for it, if any. @throws {WidgetError} */
  function requestToken(by?: 'script' | 'form'): Promise<string> {
    if (by) tell({ is: 'wanted', by, shareDone: supply.shareDone() })
    if (!next) {
      next = (pass ? usePass(pass) : exchangeWork()).catch((error: unknown) => {
        next = undefined
        tell({ is: 'failed', code: numberOf(error) })
        throw error
      })
    }
    return by ? pause.during(next) : next
  }

  /**
   * Renews the token or lets it expire when its time is over. Also called whenever the page becomes visible.
   *
   * A token that was sent with the form is renewed as well: the page may have stopped the submit to ask for a second factor, and send the
   * form by a script minutes later. The renewed token is the same entry of the ledger, so it counts only if the first was not used.
   */
  function review(): void {
    const mine = current
    if (!mine || mine.leftMs() > 0) return
    const { renewal } = mine
    if (options.refreshExpired !== 'auto' || !renewal || renewal.work.leftMs() <= 0)
      return expire(mine)
    solve(renewal.body)
      .then((reply) => {
        if (current !== mine) return
        if (reply.is !== 'answer') return expire(mine)
        tell({ is: 'minted', token: setCurrent(reply.answer as SolveAnswer, renewal, mine) })
      })
      .catch(() => expire(mine))
  }

  /** Drops a token that cannot be renewed. One that was sent with the form stays readable while the service accepts it. */
  function expire(mine: CurrentToken): void {
    if (current !== mine) return
    if (!mine.form || mine.endsMs() <= 0) return lapse(mine)
    cancel?.()
    cancel = whenOver(mine.endsMs, () => lapse(mine))
  }

  function lapse(mine: CurrentToken): void {
    if (current !== mine) return
    dropToken()
    tell({ is: 'lapsed', spare: mine.form !== undefined && supply.shareDone() === 1 })
  }

  function dropToken(): void {
    cancel?.()
    current = undefined
  }

  const isFresh = (): boolean => current !== undefined && current.leftMs() > 0

  return {
    requestToken,
    /** Returns the current token while the service accepts it, else ''. */
    token: (): string => (current && current.endsMs() > 0 ? current.token : ''),
    /** Reports whether the token can be sent with the form: never twice, and not in its last seconds. */
    isForForm: (): boolean => isFresh() && !current!.form,
    noteSentWithForm(): void {
      if (current) current.form = deadlineIn(WITH_FORM_MS)
    },
    /**
     * Returns a token that no script has read, and that was not sent with a form more than `WITH_FORM_MS` ago. Simultaneous calls get
     * one token each.
     */
    async tokenForScript(): Promise<string> {
      const isUsable = (): boolean => isFresh() && !current!.script && (current!.form?.() ?? 1) > 0
      while (!isUsable()) await requestToken('script')
      current!.script = true
      return current!.token
    },
    /** Requests a token by a second try. @param ticket the `step_up` of siteverify. */
    stepUp(ticket: string): Promise<string> {
      nextTicket = ticket
      dropToken()
      return this.tokenForScript()
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
