import type { ErrorNumber } from './errors.ts'

/**
 * The states of a widget. Work in the background does not change `ready` and `verified`. `waiter` is who waits for the token; a held
 * submit takes precedence over a script, since the visitor sees it.
 */
export type State =
  | { readonly at: 'idle' }
  /** `shareDone` is 0 to 1. */
  | { readonly at: 'working'; readonly shareDone: number; readonly waiter: Waiter }
  /** The service is busy or unavailable; the widget retries. */
  | { readonly at: 'waiting'; readonly shareDone: number; readonly waiter: Waiter }
  /** The step of a second try is shown. `isOpen`: its button is enabled. */
  | { readonly at: 'asking'; readonly isOpen: boolean; readonly waiter: Waiter }
  /** The work is done; there is no token yet. `isLate`: the press is too old to open the form's window, and another one is needed. */
  | { readonly at: 'ready'; readonly isLate?: true }
  | { readonly at: 'verified'; readonly token: string }
  | { readonly at: 'expired' }
  | { readonly at: 'failed'; readonly code: ErrorNumber; readonly waiter: Waiter }

export type Waiter = 'none' | 'script' | 'form'

export type Move =
  | { readonly is: 'begun' }
  | { readonly is: 'progressed'; readonly shareDone: number }
  | { readonly is: 'delayed' }
  | { readonly is: 'worked' }
  | { readonly is: 'wanted'; readonly by: 'script' | 'form'; readonly shareDone: number }
  | { readonly is: 'asked'; readonly isOpen: boolean }
  | { readonly is: 'confirmed' }
  | { readonly is: 'minted'; readonly token: string }
  | { readonly is: 'late' }
  /** The form that waited for the token is not sent. */
  | { readonly is: 'cancelled' }
  /** The form was sent, and the page is still open. */
  | { readonly is: 'sent' }
  /** The token has expired. `spare`: it was used, and work for the next one is done. */
  | { readonly is: 'lapsed'; readonly spare: boolean }
  /** The work has expired, and is not renewed before the next touch. */
  | { readonly is: 'aged' }
  | { readonly is: 'failed'; readonly code: ErrorNumber }
  | { readonly is: 'reset' }

/** Returns the state that follows a move. */
// oxlint-disable-next-line eslint/complexity -- a table: each case is one line, and reads alone
export function next(state: State, move: Move): State {
  switch (move.is) {
    case 'begun':
      return isQuiet(state) || isHeld(state)
        ? state
        : { at: 'working', shareDone: 0, waiter: 'none' }
    case 'progressed':
      return isBusy(state) ? { ...state, at: 'working', shareDone: move.shareDone } : state
    case 'delayed':
      return isBusy(state) ? { ...state, at: 'waiting' } : state
    case 'worked':
      return isBusy(state) ? afterWork(state) : state
    case 'asked':
      return { at: 'asking', isOpen: move.isOpen, waiter: isHeld(state) ? state.waiter : 'script' }
    case 'confirmed':
      return state.at === 'asking' ? { at: 'working', shareDone: 0, waiter: state.waiter } : state
    case 'wanted':
      return state.at === 'asking' ? state : afterRequest(state, move)
    case 'minted':
      return { at: 'verified', token: move.token }
    case 'late':
      return { at: 'ready', isLate: true }
    case 'cancelled':
      return isHeld(state) || state.at === 'failed' ? { ...state, waiter: 'none' } : state
    case 'sent':
      return state.at === 'ready' ? { at: 'ready' } : state
    case 'lapsed':
      return state.at === 'verified' ? { at: move.spare ? 'ready' : 'expired' } : state
    case 'aged':
      return state.at === 'ready' ? { at: 'idle' } : state
    case 'failed':
      return afterFailure(state, move.code)
    case 'reset':
      return { at: 'idle' }
  }
}

const afterWork = ({ waiter }: Busy): State =>
  waiter === 'none' ? { at: 'ready' } : { at: 'working', shareDone: 1, waiter }

const afterRequest = (state: State, { by, shareDone }: Extract<Move, { is: 'wanted' }>): State =>
  isBusy(state)
    ? { ...state, at: 'working', waiter: state.waiter === 'form' ? 'form' : by }
    : { at: 'working', shareDone, waiter: by }

function afterFailure(state: State, code: ErrorNumber): State {
  if (state.at === 'verified') return state
  // Work that could not be renewed does not concern the visitor before the submit.
  if (state.at === 'ready') return { at: 'idle' }
  const waiter = isHeld(state) || state.at === 'failed' ? state.waiter : 'none'
  return { at: 'failed', code, waiter }
}

type Busy = Extract<State, { at: 'working' | 'waiting' }>
export const isBusy = (state: State): state is Busy =>
  state.at === 'working' || state.at === 'waiting'
/** Reports whether a script or a form may wait for the token. */
const isHeld = (state: State): state is Busy | Extract<State, { at: 'asking' }> =>
  isBusy(state) || state.at === 'asking'
/** Reports whether a state answers a press, so that the visitor must see it. */
export const isAnswer = (state: State): boolean =>
  state.at === 'asking' ||
  (state.at === 'ready' && !!state.isLate) ||
  ((state.at === 'waiting' || state.at === 'failed') && state.waiter === 'form')
const isQuiet = (state: State): boolean => state.at === 'ready' || state.at === 'verified'
