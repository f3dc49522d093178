import { type BackgroundPause, backgroundPause } from './clock.ts'
import type { Options } from './options.ts'
import { type Service, serviceAt } from './service.ts'
import type { Move } from './state.ts'
import { type StateStore, stateStore } from './state-store.ts'
import { type Visit, watchVisit } from './visit.ts'

/** What the parts of one widget share. */
export interface Parts {
  readonly options: Options
  readonly service: Service
  readonly visit: Visit
  readonly state: StateStore
  /** Changes the state. */
  readonly tell: (move: Move) => void
  readonly pause: BackgroundPause
  /** Aborted when the widget is removed. */
  readonly stop: AbortSignal
  /** The address of our own script for workers; '' if they must not load it. */
  readonly workerFile: string
}

/** Makes what the parts of one widget share. @param base the address of the service. */
export function makeParts(
  base: string,
  { options, stop, workerFile }: Pick<Parts, 'options' | 'stop' | 'workerFile'>,
): Parts {
  const state = stateStore(stop)
  const service = serviceAt(base)
  const visit = watchVisit(options, stop)
  const pause = backgroundPause(stop)
  return { options, service, visit, state, tell: state.tell, pause, stop, workerFile }
}
