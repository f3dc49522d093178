import type { SolveAnswer } from '../../src/wire.ts'
import type { Reply, SolveBody } from './api.ts'
import { type After, type Clock, type Deadline, deadlineIn, whenOver } from './clock.ts'
import { numberOf, WidgetError } from './errors.ts'
import { type Patience, persist } from './persist.ts'
import type { Move } from './state.ts'
import type { KeptWork, WorkSupply } from './work.ts'

export interface Minting {
  /** A token that was not handed to anybody; callers at the same time share one. @throws {WidgetError} */
  obtain(by: 'script' | 'form'): Promise<string>
  /** The token in hand while it may still be accepted, else ''. */
  current(): string
  /** Whether the token in hand can go with the form now: never twice, never in its last seconds. */
  isForForm(): boolean
  toForm(): void
  /** The token in hand, if no script was given it yet and no form left with it long ago; else a new one. */
  toScript(): Promise<string>
  drop(): void
  /** Renews or lets lapse, as the clock demands. To be called whenever the page wakes up. */
  review(): void
}

export interface MintingNeeds {
  readonly supply: WorkSupply
  readonly hand: (body: SolveBody) => Promise<Reply<SolveAnswer>>
  /** The summary of the visit, as JSON text, at this moment. */
  readonly summarise: (work: KeptWork) => Promise<string>
  readonly tell: (move: Move) => void
  readonly patience: Patience
  readonly clock: Clock
  readonly after: After
}

interface InHand {
  readonly token: string
  /** When it is to be renewed, and no longer goes with a form. */
  readonly deadline: Deadline
  /** When the service no longer accepts it. */
  readonly end: Deadline
  /** Kept word for word: only the same body is answered again. */
  readonly body: SolveBody
  readonly work: KeptWork
  form: Deadline | undefined
  script: boolean
}

/** Milliseconds a page has to fetch, by script, the token that its submit listener was told of. */
const WITH_FORM_MS = 5000

/** Turns kept work into tokens, and keeps the one in hand fresh until it is used. */
export function minting({ supply, hand, summarise, tell, patience, clock, after }: MintingNeeds): Minting {
  let inHand: InHand | undefined
  let obtaining: Promise<string> | undefined
  let cancel: (() => void) | undefined

  function keep(answer: SolveAnswer, body: SolveBody, work: KeptWork): InHand {
    const lifeMs = answer.expires_in * 1000
    // Time for the form to arrive and to be verified; a quarter where the life is short.
    const deadline = deadlineIn(lifeMs - Math.min(20_000, lifeMs / 4), clock)
    cancel?.()
    cancel = whenOver(deadline, after, review)
    const end = deadlineIn(lifeMs, clock)
    return (inHand = { token: answer.token, deadline, end, body, work, form: undefined, script: false })
  }

  async function mint(): Promise<string> {
    for (let tries = 0; tries < 3; tries++) {
      const work = await supply.take()
      const body = { challenge: work.challenge, solution: work.solution, signals: await summarise(work) }
      const reply = await persist(() => hand(body), patience)
      if (reply.is === 'again') continue
      const { token } = keep(reply.answer, body, work)
      // Before the page hears of it: its listener may want the next one at once.
      obtaining = undefined
      tell({ is: 'minted', token })
      return token
    }
    throw new WidgetError(300)
  }

  function obtain(by: 'script' | 'form'): Promise<string> {
    tell({ is: 'wanted', by, progress: supply.progress() })
    obtaining ??= mint().catch((error: unknown) => {
      obtaining = undefined
      tell({ is: 'failed', code: numberOf(error) })
      throw error
    })
    return obtaining
  }

  function review(): void {
    const held = inHand
    if (!held || held.deadline.left() > 0) return
    if (held.form || held.work.deadline.left() <= 0) return lapse(held)
    hand(held.body)
      .then((reply) => {
        if (inHand !== held) return
        if (reply.is !== 'answer') return lapse(held)
        keep(reply.answer, held.body, held.work).script = held.script
        tell({ is: 'minted', token: reply.answer.token })
      })
      .catch(() => lapse(held))
  }

  function lapse(held: InHand): void {
    if (inHand !== held) return
    drop()
    tell({ is: 'lapsed', spare: held.form !== undefined && supply.progress() === 1 })
  }

  function drop(): void {
    cancel?.()
    inHand = undefined
  }

  const isFresh = (): boolean => inHand !== undefined && inHand.deadline.left() > 0

  return {
    obtain,
    // Good while its renewal is on the way.
    current: () => (inHand && inHand.end.left() > 0 ? inHand.token : ''),
    isForForm: () => isFresh() && !inHand!.form,
    toForm() {
      if (inHand) inHand.form = deadlineIn(WITH_FORM_MS, clock)
    },
    async toScript() {
      const usable = isFresh() && !inHand!.script && (inHand!.form?.left() ?? 1) > 0
      const token = usable ? inHand!.token : await obtain('script')
      if (inHand) inHand.script = true
      return token
    },
    drop,
    review,
  }
}
