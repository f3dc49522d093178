import { logError } from './announcer.ts'
import { after, steady } from './clock.ts'
import { describe, element, markDrawing } from './drawing.ts'
import { isGone, isSetUp } from './errors.ts'
import type { Options } from './options.ts'
import { bringIntoView, isInView } from './press-place.ts'
import { isAnswer, isBusy, type State } from './state.ts'
import { applyStyles } from './styles.ts'
import { directionOf, type Texts } from './texts.ts'
import { pageTheme, watchTheme } from './theme.ts'

/** Properties of the host that no rule of a page can change. */
const ESSENTIALS = 'all:unset;display:block;visibility:visible;pointer-events:auto;'

/** A press makes its click in this time or not at all. */
const PRESS_MS = 1000
const loadedAt = steady()

/**
 * Shows the box: a check box, a label, one status line, and a button to retry or for the step of a second try. The line is the only live
 * region, so that nothing is announced twice.
 */
export function widgetView(
  container: HTMLElement,
  options: Options,
  pressed: (event: Event) => void,
  signal: AbortSignal,
) {
  const home = homeIn(container)
  // Not a `div`, which themes hide or restyle.
  const host = home.appendChild(document.createElement('svc-captcha-box'))
  host.style.cssText = ESSENTIALS.replace(/;/g, '!important;')
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true })
  applyStyles(root)

  const { mark: drawing, draw } = markDrawing()
  const mark = element(
    'button',
    'class=mark;type=button;role=checkbox;aria-labelledby=label',
    drawing,
  )
  const label = element('span', 'class=label;id=label')
  const status = element('p', 'class=status;role=status')
  // Reserves the height of the longest line, so that the page does not jump. Its text is generated content, so that no search finds two.
  const roomLabel = document.createElement('b')
  const roomLine = document.createElement('p')
  const room = element('div', 'class=room;aria-hidden=true', roomLabel, roomLine)
  const retry = element('button', 'class=retry;type=button')
  const words = document.createElement('div')
  words.append(label, status)
  const box = element('div', 'role=group', mark, element('div', 'class=text', words, room), retry)
  for (const button of [mark, retry]) {
    button.tabIndex = options.tabindex
    button.addEventListener('click', pressed)
  }

  const append = (): void => {
    if (!box.parentNode && !signal.aborted) root.append(box)
  }
  let texts: Texts | undefined
  let state: State = { at: 'idle' }

  function render(): void {
    const theme = options.theme === 'auto' ? pageTheme(container) : options.theme
    const isDone = state.at === 'ready' || state.at === 'verified'
    const isHidden =
      options.appearance === 'interaction-only' ||
      (options.appearance === 'execute' && state.at === 'idle')
    const isAsking = state.at === 'asking'
    const busy = isBusy(state)
    const isStuck = state.at === 'failed' || (isAnswer(state) && !busy)
    const kind = busy ? 'busy' : isStuck ? 'stuck' : isDone ? 'done' : 'open'
    // The form below stays where it is when the step appears.
    box.style.minHeight = isAsking ? `${box.offsetHeight}px` : ''
    box.className = `box ${theme} ${isHidden ? 'invisible' : options.size} ${kind} ${state.at}`
    draw(state)
    describe(mark, `aria-checked=${isDone};aria-busy=${busy};aria-readonly=${busy || isDone}`)
    if (isBusy(state)) box.style.setProperty('--done', state.progress.toFixed(3))
    const hasButton = isAsking || (state.at === 'failed' && !isSetUp(state.code))
    // Keeps the focus in the box when the button disappears.
    if (!hasButton && root.activeElement === retry) mark.focus()
    retry.hidden = !hasButton
    retry.setAttribute('aria-disabled', String(state.at === 'asking' && !state.isOpen))
    if (!texts) return
    retry.textContent = isAsking ? texts.confirm : texts.retry
    // Setting the same text would announce it again.
    const line = lineOf(state, texts, options.start, navigator.onLine)
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
    /** @param at what the visitor pressed to send the form. */
    show(now: State, at: Element | null): void {
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
      box.setAttribute('aria-label', newTexts.name)
      label.textContent = roomLabel.dataset['say'] = newTexts.label
      roomLine.dataset['say'] = longest(newTexts, options.start)
      render()
      // Not before the texts are known, and not during a press: a box that moves the button would lose the click.
      const { userActivation } = navigator as { userActivation?: { isActive: boolean } }
      if (!userActivation?.isActive || steady() - loadedAt > PRESS_MS) return append()
      window.addEventListener('click', () => after(0, append), {
        capture: true,
        once: true,
        signal,
      })
      after(PRESS_MS, append)
    },
    end: (): void => host.remove(),
  }
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

/** Returns the status line. */
export function lineOf(
  state: State,
  texts: Texts,
  start: Options['start'],
  isOnline = true,
): string {
  if (!isOnline && (state.at === 'waiting' || (state.at === 'failed' && isGone(state.code))))
    return texts.offline
  if (state.at === 'failed') {
    if (isSetUp(state.code))
      return `${state.code === 105 ? texts.reload : texts.misplaced} (${state.code})`
    if (state.code === 302) return texts.refused
    return state.waiter === 'form' ? texts.unsent : texts.failed
  }
  if (state.at === 'asking') return texts.confirm
  if (state.at === 'ready' && state.isLate) return texts.again
  if (state.at === 'idle' && start === 'manual') return texts.manual
  if (state.at === 'working' && state.waiter === 'form') return texts.holding
  return texts[state.at]
}

/** Returns the longest line of a visit without errors. */
function longest(texts: Texts, start: Options['start']): string {
  const { working, holding, waiting, expired } = texts
  const lines = [lineOf({ at: 'idle' }, texts, start), working, holding, waiting, expired]
  return lines.sort((a, b) => b.length - a.length)[0]!
}
