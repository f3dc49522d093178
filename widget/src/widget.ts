import { announcer, hintUntouched } from './announcer.ts'
import { isGone } from './errors.ts'
import { formBinding, wasTouched } from './form-binding.ts'
import { formSender } from './form-sender.ts'
import { loadTexts } from './load-texts.ts'
import type { Options } from './options.ts'
import { makeParts } from './parts.ts'
import type { Move, State } from './state.ts'
import { secondTryStep } from './step.ts'
import { submitFlow } from './submit-flow.ts'
import { tokenKeeper } from './token-keeper.ts'
import { widgetView } from './view.ts'
import { mayStart, workSchedule } from './work-schedule.ts'
import { workSupply } from './work-supply.ts'

/** The script that this code came with. */
export interface OwnScript {
  /** The address of the service, by that of the script. */
  readonly base: string
  /** The address of our own script for workers; '' if they must not load it. */
  readonly workerFile: string
  /** The query of the script's address. */
  readonly version: string
}

export type Widget = ReturnType<typeof mountWidget>

/**
 * Mounts a widget. Its parts are made in the order of a visit, each from those before it: a touch of the form starts the work of a
 * challenge (`schedule`, `supply`), the work is exchanged for a token (`keeper`), the submit waits for it (`flow`, `sender`), and the
 * token goes with the form (`binding`). The parts tell the state what they do, and it calls `showChange`.
 *
 * @param isOfScript whether a script of the page asked for it, rather than the container's class.
 */
export function mountWidget(
  container: HTMLElement,
  options: Options,
  { workerFile, version }: OwnScript,
  isOfScript: boolean,
) {
  const stop = new AbortController()
  const { signal } = stop
  const base = options.apiBase || `${location.origin}/`
  const announce = announcer(container, options, base, signal)
  const view = widgetView(container, options, signal)

  const parts = makeParts(base, { options, stop: signal, workerFile })
  const { state, tell } = parts
  const supply = workSupply(parts)
  const step = secondTryStep(tell)
  const keeper = tokenKeeper(parts, supply, step.show)
  const schedule = workSchedule(parts, supply, keeper)
  const flow = submitFlow(parts, schedule)
  const sender = formSender(parts, { supply, keeper, schedule, flow })
  const connected = { announce, keeper, schedule, flow, sender, isOfScript }
  const { field, pressedElement } = formBinding(container, parts, connected)

  const putTokenIntoForm = (): void => field.putToken(keeper.token())

  /** Shows a change to the visitor, to the form and to the page, in this order: listeners of the page find the token in the form. */
  function showChange(before: State, { is }: Move): void {
    view.showState(state.current(), pressedElement())
    // There is another token, or none any more.
    if (['minted', 'lapsed', 'reset'].includes(is)) putTokenIntoForm()
    if (state.current().at === before.at) return
    announce.showState(before, state.current())
    schedule.onState()
  }

  /** The visitor has pressed the check box or the button. */
  function onPress({ isTrusted }: Event): void {
    sender.notePress()
    if (state.current().at === 'asking') step.press(isTrusted)
    else again()
  }

  /** Continues after a failure. */
  function again(): void {
    if (flow.isHolding()) void sender.send()
    else schedule.again()
  }

  /** Takes the current token away. */
  function dropToken(): void {
    keeper.dropToken()
    tell({ is: 'reset' })
  }

  function review(): void {
    if (document.hidden) return
    keeper.review()
    supply.review()
    schedule.renewExpired()
  }

  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (!persisted) return
    flow.onReturn()
    // The next page may have used the token.
    if (keeper.token() && !keeper.isForForm()) dropToken()
    review()
  }

  function onOnline(): void {
    const now = state.current()
    if (now.at === 'failed' && isGone(now.code)) again()
  }

  state.onChange(showChange)
  view.onPress(onPress)
  document.addEventListener('visibilitychange', review, { signal })
  window.addEventListener('pageshow', onPageShow, { signal })
  window.addEventListener('online', onOnline, { signal })
  loadTexts(container, options, { base, version, signal }, (texts, language) =>
    view.setTexts(texts, language),
  )
  const startsNow = !options.sitekey || mayStart(options, isOfScript, signal)
  if (startsNow || (options.start === 'focus' && wasTouched(container))) schedule.wake()

  return {
    execute(): Promise<string> {
      schedule.noteUse()
      hintUntouched(options.sitekey)
      return keeper.tokenForScript().then((token) => {
        schedule.restock()
        return token
      })
    },
    stepUp(ticket: string): Promise<string> {
      schedule.noteUse()
      return keeper.stepUp(ticket)
    },
    /** Takes the current token away from the form, which gets another one. */
    spend(): void {
      dropToken()
      schedule.restock()
    },
    response: keeper.token,
    isExpired: (): boolean =>
      state.current().at === 'expired' || (state.current().at === 'verified' && !keeper.token()),
    reset(): void {
      // The held form continues without the step.
      if (state.current().at === 'asking') step.giveUp()
      dropToken()
      announce.reset()
      schedule.refill()
    },
    /** The customer's server did not accept the token. */
    refused(): void {
      dropToken()
      tell({ is: 'failed', code: 302 })
    },
    /** The options, or the page around the widget, have changed. */
    restyle(): void {
      view.showState(state.current(), null)
      putTokenIntoForm()
    },
    isHolding: flow.isHolding,
    remove(): void {
      stop.abort()
      supply.end()
      keeper.dropToken()
      flow.end()
      field.end()
      view.end()
    },
  }
}
