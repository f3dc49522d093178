import { describe, element, markDrawing } from './drawing.ts'
import { isBusy, type State } from './state.ts'
import type { Texts } from './texts.ts'

/** Makes the parts of the box: a check box, a label with one status line, and a button. */
export function boxParts() {
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
  return {
    box,
    mark,
    /** Shows a state in the check box. */
    showMark: (state: State): void => {
      draw(state)
      const isDone = state.at === 'ready' || state.at === 'verified'
      // Not aria-readonly: Chromium tells Linux then that the check box is disabled, and does not take it back.
      describe(mark, `aria-checked=${isDone};aria-busy=${isBusy(state)}`)
    },
    status,
    retry,
    /** @param longest the line for which to reserve room. */
    setTexts: ({ name, label: text }: Texts, longest: string): void => {
      box.setAttribute('aria-label', name)
      label.textContent = text
      roomLabel.dataset['say'] = text
      roomLine.dataset['say'] = longest
    },
  }
}
