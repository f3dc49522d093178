import { logError } from './announcer.ts'
import { boxParts } from './box-parts.ts'
import { after } from './clock.ts'
import { isSetUp } from './errors.ts'
import type { Options } from './options.ts'
import { afterPress, bringIntoView, isInView } from './press-place.ts'
import { isAnswer, isBusy, type State } from './state.ts'
import { lineOf, longest } from './status-line.ts'
import { applyStyles } from './styles.ts'
import { directionOf, type Texts } from './texts.ts'
import { pageTheme, watchTheme } from './theme.ts'

/** Properties of the host that no rule of a page can change. */
const ESSENTIALS = 'all:unset;display:block;visibility:visible;pointer-events:auto;'

/**
 * Shows the box: a check box, a label, one status line, and a button to retry or for the step of a second try. The line is the only live
 * region, so that nothing is announced twice.
 */
export function widgetView(container: HTMLElement, options: Options, signal: AbortSignal) {
  const home = homeIn(container)
  // Themes hide or restyle a `div`.
  const host = home.appendChild(document.createElement('svc-captcha-box'))
  host.style.cssText = ESSENTIALS.replace(/;/g, '!important;')
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true })
  applyStyles(root)

  const { box, mark, showMark, status, retry, setTexts } = boxParts()
  const buttons = [mark, retry]
  for (const button of buttons) button.tabIndex = options.tabindex

  const append = (): void => {
    if (!box.parentNode && !signal.aborted) root.append(box)
  }
  let texts: Texts | undefined
  let state: State = { at: 'idle' }

  function render(): void {
    const theme = options.theme === 'auto' ? pageTheme(container) : options.theme
    const isHidden = isInvisible(options, state)
    const kind = kindOf(state)
    // The form below stays where it is when the step appears.
    box.style.minHeight = state.at === 'asking' ? `${box.offsetHeight}px` : ''
    box.className = `box ${theme} ${isHidden ? 'invisible' : options.size} ${kind} ${state.at}`
    layOut()
    showMark(state)
    if (isBusy(state)) box.style.setProperty('--done', state.shareDone.toFixed(3))
    renderButton()
    if (texts) renderTexts(texts)
  }

  /** Hides the container of an invisible box: an empty item of a flexible box or a grid still takes a gap. */
  function layOut(): void {
    const isEmpty =
      box.matches('.invisible:not(.stuck)') && !container.querySelector(':not([type=hidden])')
    if (home instanceof ShadowRoot) home.adoptedStyleSheets = isEmpty ? root.adoptedStyleSheets : []
  }

  function renderButton(): void {
    const hasButton = state.at === 'asking' || (state.at === 'failed' && !isSetUp(state.code))
    // Keeps the focus in the box when the button disappears.
    if (!hasButton && root.activeElement === retry) mark.focus()
    retry.hidden = !hasButton
    retry.setAttribute('aria-disabled', String(state.at === 'asking' && !state.isOpen))
  }

  function renderTexts(now: Texts): void {
    retry.textContent = state.at === 'asking' ? now.confirm : now.retry
    // Setting the same text would announce it again.
    const line = lineOf(state, now, options.start, navigator.onLine)
    if (status.textContent !== line) status.textContent = line
    const isAway = host.parentNode !== home && !isBusy(state) && !isAnswer(state)
    if (isAway || !host.parentNode) home.append(host)
  }

  /** Shows the visitor an answer to a press, in view and aloud. */
  function answerPress(at: Element | null): void {
    // An invisible widget shows its step and its failures alone.
    if (isBusy(state) && box.classList.contains('invisible')) return
    if (isInView(host)) return
    const active = document.activeElement
    if (bringIntoView(host, container, at)) logError(110)
    if (active === at || active === document.body)
      (retry.hidden ? mark : retry).focus({ preventScroll: true })
    // What a live region says while it is hidden is not read out.
    status.textContent = ''
    after(100, render)
  }

  const observeTheme = options.theme === 'auto' ? watchTheme(render, signal) : () => {}
  render()
  return {
    /** Listens for presses of the check box and of the button. */
    onPress(pressed: (event: Event) => void): void {
      for (const button of buttons) button.addEventListener('click', pressed)
    },
    /** @param at what the visitor pressed to send the form. */
    showState(now: State, at: Element | null): void {
      const isNew = now.at !== state.at || isAnswer(now) !== isAnswer(state)
      state = now
      observeTheme()
      render()
      if (isNew && isAnswer(state)) answerPress(at)
    },
    setTexts(newTexts: Texts, language: string): void {
      texts = newTexts
      box.lang = language
      box.dir = directionOf(language)
      setTexts(newTexts, longest(newTexts, options.start))
      render()
      // The box waits for its texts.
      afterPress(append, signal)
    },
    end: (): void => host.remove(),
  }
}

/** Reports whether the box is seen only when something is wrong. */
const isInvisible = ({ appearance }: Options, { at }: State): boolean =>
  appearance === 'interaction-only' || (appearance === 'execute' && at === 'idle')

/** Returns what a state has in common with others, for the styles. `stuck`: the visitor has to do something. */
function kindOf(state: State): 'busy' | 'stuck' | 'done' | 'open' {
  if (isBusy(state)) return 'busy'
  if (state.at === 'failed' || isAnswer(state)) return 'stuck'
  return state.at === 'ready' || state.at === 'verified' ? 'done' : 'open'
}

/** Homes by container: a shadow root cannot be removed again. */
const homes = new WeakMap<HTMLElement, ShadowRoot>()

/**
 * Returns where the box goes: a shadow root of the container, so that a framework which owns the container finds no child that it did
 * not render. Containers that have another one, or cannot have one, get a child.
 */
function homeIn(container: HTMLElement): ParentNode & Node {
  let home = homes.get(container)
  try {
    if (!home) {
      home = container.attachShadow({ mode: 'open', delegatesFocus: true })
      home.append(document.createElement('slot'))
      homes.set(container, home)
    }
  } catch {
    return container
  }
  return home
}
