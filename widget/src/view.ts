import { after, steady } from './clock.ts'
import { brandDrawing, element, markDrawing } from './drawing.ts'
import { isGone, isSetUp } from './errors.ts'
import type { Options } from './options.ts'
import { isBusy, type State } from './state.ts'
import { dress } from './styles.ts'
import { directionOf, type Texts } from './texts.ts'
import { pageTheme, watchTheme } from './theme.ts'

/** Properties of the host that no rule of a page may change. */
const ESSENTIALS =
  'display:block;visibility:visible;opacity:1;position:static;float:none;width:auto;height:auto;max-width:none;max-height:none;overflow:visible;clip:auto;clip-path:none;transform:none;pointer-events:auto;'

/** A press that is under way and makes no click in this time makes none. Milliseconds. */
const PRESS_MS = 1000
const loadedAt = steady()

export interface View {
  show(state: State): void
  sayIn(texts: Texts, language: string): void
  end(): void
}

/**
 * The box that the visitor sees: a check box, a name, one line that says how things stand, and a retry when they stand badly.
 *
 * The line is the only live region; the box is named once and for all, so that nothing is announced twice.
 *
 * @param pressed the box, or the button beside it (the retry, or the step of a second try), was pressed.
 */
export function widgetView(
  container: HTMLElement,
  options: Options,
  pressed: (event: Event) => void,
  signal: AbortSignal,
): View {
  // A name of our own, and rules that beat the page's: themes hide what is empty, or every `div` of a place.
  const host = container.appendChild(document.createElement('svc-captcha-box'))
  host.style.cssText = ESSENTIALS.replace(/;/g, '!important;')
  // Libraries that keep the focus inside a dialog look for elements with a `tabindex`; the host hands it to the box.
  host.tabIndex = options.tabindex
  const root = host.attachShadow({ mode: 'open', delegatesFocus: true })
  dress(root)

  const { mark: drawing, draw } = markDrawing()
  const mark = element('button', 'class=mark;type=button;role=checkbox;aria-labelledby=label', drawing)
  const label = element('span', 'class=label;id=label')
  const status = element('p', 'class=status;role=status')
  // Unseen, it keeps the height of the longest line there can be while all goes well: the page does not jump.
  // Its words are the style sheet's, so that nobody who looks for a text finds two.
  const roomLabel = document.createElement('b')
  const roomLine = document.createElement('p')
  const room = element('div', 'class=room;aria-hidden=true', roomLabel, roomLine)
  const retry = element('button', 'class=retry;type=button')
  const words = document.createElement('div')
  words.append(label, status)
  const box = element('div', 'role=group', mark, element('div', 'class=text', words, room), retry, brandDrawing())
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
      options.appearance === 'interaction-only' || (options.appearance === 'execute' && state.at === 'idle')
    const isAsking = state.at === 'asking'
    const busy = isBusy(state)
    const kind = busy ? 'busy' : isDone ? 'done' : isAsking || state.at === 'failed' ? 'stuck' : 'open'
    box.className = `box ${theme} ${isHidden ? 'invisible' : options.size} ${kind} ${state.at}`
    draw(state)
    mark.setAttribute('aria-checked', String(isDone))
    mark.setAttribute('aria-busy', String(busy))
    // A press does nothing then.
    mark.setAttribute('aria-readonly', String(busy || isDone))
    if (isBusy(state)) box.style.setProperty('--done', state.progress.toFixed(3))
    const hasButton = isAsking || (state.at === 'failed' && !isSetUp(state.code))
    // A visitor who pressed "Try again" must not lose the place when it goes.
    if (!hasButton && root.activeElement === retry) mark.focus()
    retry.hidden = !hasButton
    retry.setAttribute('aria-disabled', String(state.at === 'asking' && !state.isOpen))
    if (!texts) return
    retry.textContent = isAsking ? texts.confirm : texts.retry
    // The same words again would be announced again.
    const line = lineOf(state, texts, options.start, navigator.onLine)
    if (status.textContent !== line) status.textContent = line
    if (!host.parentNode) container.append(host)
  }

  const lookAtTheme = options.theme === 'auto' ? watchTheme(render, signal) : () => {}
  render()
  return {
    show(now) {
      state = now
      lookAtTheme()
      render()
    },
    sayIn(newTexts, language) {
      texts = newTexts
      box.lang = language
      box.dir = directionOf(language)
      box.setAttribute('aria-label', newTexts.name)
      label.textContent = roomLabel.dataset['say'] = newTexts.label
      roomLine.dataset['say'] = longest(newTexts, options.start)
      render()
      // Shown with its words, not before: no flash of another language. Nor in the middle of the press that a late script waited for: a box
      // that pushes the button away would lose it.
      const { userActivation } = navigator as { userActivation?: { isActive: boolean } }
      if (!userActivation?.isActive || steady() - loadedAt > PRESS_MS) return append()
      window.addEventListener('click', () => after(0, append), { capture: true, once: true, signal })
      after(PRESS_MS, append)
    },
    end: () => host.remove(),
  }
}

/** The one line that says how things stand. */
export function lineOf(state: State, texts: Texts, start: Options['start'], isOnline = true): string {
  if (!isOnline && (state.at === 'waiting' || (state.at === 'failed' && isGone(state.code)))) return texts.offline
  if (state.at === 'failed') {
    if (isSetUp(state.code)) return `${state.code === 105 ? texts.reload : texts.misplaced} (${state.code})`
    if (state.code === 302) return texts.refused
    return state.waiter === 'form' ? texts.unsent : texts.failed
  }
  if (state.at === 'asking') return texts.confirm
  if (state.at === 'idle' && start === 'manual') return texts.manual
  if (state.at === 'working' && state.waiter === 'form') return texts.holding
  return texts[state.at]
}

/** The longest line of those that follow each other while all goes well. */
function longest(texts: Texts, start: Options['start']): string {
  const { working, holding, waiting, expired } = texts
  const lines = [lineOf({ at: 'idle' }, texts, start), working, holding, waiting, expired]
  return lines.reduce((a, b) => (b.length > a.length ? b : a))
}
