import { announcer, hintUntouched } from './announcer.ts'
import { isGone } from './errors.ts'
import { formBinding, wasTouched } from './form-binding.ts'
import { formSender } from './form-sender.ts'
import type { FormEvents } from './form-events.ts'
import { loadTexts } from './load-texts.ts'
import type { Options } from './options.ts'
import { makeParts } from './parts.ts'
import { type Move, next, type State } from './state.ts'
import { showStep, type Step } from './step.ts'
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
 * Mounts a widget: connects state, service, work, token, view and form.
 *
 * @param isOfScript whether a script of the page asked for it, rather than the container's class.
 */
export function mountWidget(
  container: HTMLElement,
  options: Options,
  { workerFile, version }: OwnScript,
  isOfScript: boolean,
) {
  let state: State = { at: 'idle' }
  let step: Step | undefined
  const stop = new AbortController()
  const { signal } = stop
  const base = options.apiBase || `${location.origin}/`
  const announce = announcer(container, options, base, signal)
  const view = widgetView(container, options, onPress, signal)
  const parts = makeParts(base, { options, tell: move, stop: signal, workerFile })
  const { pause } = parts
  const supply = workSupply(parts)
  const keeper = tokenKeeper(parts, supply, () => {
    step = showStep(move)
    return step.outcome
  })
  const schedule = workSchedule({ options, supply, keeper, stateNow: () => state })
  const events: FormEvents = {
    onTouch: () => schedule.onTouch(),
    onHold() {
      sender.notePress()
      send()
    },
    onCancel: () => move({ is: 'cancelled' }),
    onMiss: () => announce.report(107),
    onSendFailure() {
      move({ is: 'wanted', by: 'form', shareDone: 1 })
      move({ is: 'failed', code: 400 })
    },
    onStay() {
      move({ is: 'sent' })
      schedule.restock()
    },
  }
  const binding = formBinding(container, options, { keeper, events, signal, isOfScript })
  const sender = formSender({ binding, keeper, supply, pause, move })

  function move(change: Move): void {
    if (signal.aborted) return
    const before = state
    state = next(state, change)
    if (state === before) return
    view.showState(state, binding.pressedElement())
    if (['minted', 'lapsed', 'reset'].includes(change.is)) binding.putToken(keeper.current())
    if (state.at === before.at) return
    announce.showState(before, state)
    schedule.onState()
  }

  function send(): void {
    schedule.noteUse()
    void sender.send()
  }

  function onPress(event: Event): void {
    sender.notePress()
    if (state.at === 'asking') step!.press(event.isTrusted)
    else again()
  }

  /** Continues after a failure. */
  function again(): void {
    if (binding.isHolding()) send()
    else schedule.again()
  }

  /** Takes the current token away. */
  function dropToken(): void {
    keeper.dropToken()
    move({ is: 'reset' })
  }

  function review(): void {
    if (document.hidden) return
    keeper.review()
    supply.review()
    schedule.renewExpired()
  }

  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (!persisted) return
    binding.onReturn()
    // The next page may have used the token.
    if (keeper.current() && !keeper.isForForm()) dropToken()
    review()
  }

  function onOnline(): void {
    if (state.at === 'failed' && isGone(state.code)) again()
  }

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
      return keeper.toScript().then((token) => {
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
    response: keeper.current,
    isExpired: (): boolean =>
      state.at === 'expired' || (state.at === 'verified' && !keeper.current()),
    reset(): void {
      // The held form continues without the step.
      if (state.at === 'asking') step!.giveUp()
      dropToken()
      announce.reset()
      schedule.refill()
    },
    /** The customer's server did not accept the token. */
    refused(): void {
      dropToken()
      move({ is: 'failed', code: 302 })
    },
    /** The options, or the page around the widget, have changed. */
    restyle(): void {
      view.showState(state, null)
      binding.putToken(keeper.current())
    },
    isHolding: binding.isHolding,
    remove(): void {
      stop.abort()
      supply.end()
      keeper.dropToken()
      binding.end()
      view.end()
    },
  }
}
