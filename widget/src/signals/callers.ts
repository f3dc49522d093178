/*
 * The caller of an event: a device, a script of the page, or a script without an address.
 *
 * Why: an event that a script raises (`focus()`, `click()`, `dispatchEvent`) reaches our listener inside the script's own
 * call, so that the stack names it. Drivers that evaluate in the page have no address there. Nothing of the page is
 * replaced for this: a trap in DOM getters (docs/design/risk.md#foreign-frames) would be seen by the page, and could break it.
 * Who could be hurt: users of user scripts and of consoles; light. Pages built with `eval` name their sources.
 * Measured: a driver's evaluate() in the page's world; people have none.
 */

import { counts } from './counts.ts'

export interface CallerWatch {
  see(event: Event): void
  /** Focus moved. */
  readonly focused: (event: Event) => void
  summary(): { scripted: number; loneFocus: number }
}

/** Frames of code that was loaded from somewhere, or that a bundler made of it. */
const ADDRESSED = /(https?|blob|webpack[\w-]*|moz-extension|chrome-extension|safari-web-extension|file|resource|data):/
/** Focus that follows an input so shortly comes of it. Milliseconds. */
const OF_INPUT_MS = 250
/** A stack costs some microseconds; a page that moves the focus without end shall not pay for it. */
const MOST_LOOKS = 200

/** @param own the address of our own script, whose frames are left out. */
export function watchCallers(own: string): CallerWatch {
  const count = counts<'scripted' | 'loneFocus'>()
  /** NaN: there was none yet, and nothing is longer ago than that. */
  let inputAt = NaN
  let looks = 0

  /** The frames below our listeners: none, when a device did it. A page may have put anything in the place of stacks. */
  function callers(): string[] {
    const stack: unknown = looks++ < MOST_LOOKS ? new Error('').stack : ''
    if (typeof stack !== 'string') return []
    return stack.split('\n').filter((line) => /^\s*at |@/.test(line) && !line.includes(own))
  }

  return {
    see(event) {
      if (event.isTrusted) {
        if (event.type !== 'input') inputAt = event.timeStamp
        return
      }
      if (isWithoutAddress(callers())) count.add('scripted')
    },
    focused(event) {
      const by = callers()
      if (isWithoutAddress(by)) count.add('scripted')
      else if (!by.length && event.timeStamp - inputAt > OF_INPUT_MS) count.add('loneFocus')
    },
    summary: () => ({ scripted: count.of('scripted'), loneFocus: count.of('loneFocus') }),
  }
}

const isWithoutAddress = (frames: readonly string[]): boolean =>
  frames.length > 0 && !frames.some((frame) => ADDRESSED.test(frame))
