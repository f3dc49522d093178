import { type Move, next, type State } from './state.ts'

/** Learns of a change: the state before it, and the move that made it. */
type ChangeListener = (before: State, move: Move) => void

export type StateStore = ReturnType<typeof stateStore>

/** Holds the state of one widget. Its parts tell their moves, and one listener shows what has changed. */
export function stateStore(stop: AbortSignal) {
  let state: State = { at: 'idle' }
  let listener: ChangeListener | undefined
  return {
    current: (): State => state,
    onChange: (changed: ChangeListener): void => {
      listener = changed
    },
    tell: (move: Move): void => {
      if (stop.aborted) return
      const before = state
      state = next(state, move)
      if (state !== before) listener?.(before, move)
    },
  }
}
