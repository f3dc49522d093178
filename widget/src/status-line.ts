import { isGone, isSetUp } from './errors.ts'
import type { Options } from './options.ts'
import type { State } from './state.ts'
import type { Texts } from './texts.ts'

/** Returns the status line. */
export function lineOf(
  state: State,
  texts: Texts,
  start: Options['start'],
  isOnline = true,
): string {
  if (!isOnline && lacksNetwork(state)) return texts.offline
  if (state.at === 'failed') return failureLine(state, texts)
  if (state.at === 'asking') return texts.confirm
  if (state.at === 'ready' && state.isLate) return texts.again
  if (state.at === 'idle' && start === 'manual') return texts.manual
  if (state.at === 'working' && state.waiter === 'form') return texts.holding
  return texts[state.at]
}

/** Reports whether the widget waits for the service to be in reach. */
const lacksNetwork = (state: State): boolean =>
  state.at === 'waiting' || (state.at === 'failed' && isGone(state.code))

function failureLine({ code, waiter }: Extract<State, { at: 'failed' }>, texts: Texts): string {
  if (isSetUp(code)) return `${code === 105 ? texts.reload : texts.misplaced} (${code})`
  if (code === 302) return texts.refused
  return waiter === 'form' ? texts.unsent : texts.failed
}

/** Returns the longest line of a visit without errors. */
export function longest(texts: Texts, start: Options['start']): string {
  const { working, holding, waiting, expired } = texts
  const lines = [lineOf({ at: 'idle' }, texts, start), working, holding, waiting, expired]
  return lines.sort((a, b) => b.length - a.length)[0]!
}
