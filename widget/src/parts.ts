import type { BackgroundPause } from './clock.ts'
import type { Options } from './options.ts'
import type { Service } from './service.ts'
import type { Move } from './state.ts'
import type { Visit } from './visit.ts'

/** What the parts of one widget share. */
export interface Parts {
  readonly options: Options
  readonly service: Service
  readonly visit: Visit
  readonly tell: (move: Move) => void
  readonly pause: BackgroundPause
  /** Aborted when the widget is removed. */
  readonly stop: AbortSignal
  /** The address of our own script for workers; '' if they must not load it. */
  readonly workerFile: string
}
