import type { Writable } from 'node:stream'
import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises'
import winston from 'winston'
import type { Log, LogFields } from '../domain/observing.ts'
import { boundedTransport } from './bounded-transport.ts'
import { prettyLine } from './pretty-line.ts'

/**
 * The only fields that a line may have, in this order. Everything else is dropped: secrets, tokens and full addresses have no
 * name here, so they cannot be written.
 */
const FIELDS = [
  'operation',
  'method',
  'path',
  'status',
  'code',
  'ms',
  'request_id',
  'sitekey',
  'action',
  'hostname',
  'jti',
  'score',
  'rule',
  'step_up',
  'agent',
  'agent_refusal',
  'vouched',
  'would_reject',
  'network',
  'url',
  'ops_url',
  'detail',
  'hint',
  'decision',
] as const satisfies readonly (keyof LogFields)[]

/** Written at every level: whoever starts the process waits for it. docs/api/api.md, "Processes and commands". */
const AWAITED = 'listening'

/** Milliseconds that an ending process waits for the reader of its log. */
const FLUSH_MS = 500
/** Milliseconds between two looks whether the reader has taken everything. */
const FLUSH_POLL_MS = 10

export interface LogOptions {
  /** The lowest level that is written: `error`, `warn`, `info` or `debug`. */
  readonly level: string
  readonly stream: Writable
  readonly format?: 'json' | 'pretty'
  /** For `pretty`. */
  readonly colours?: boolean
}

/** The log of a service. No reader of it, and none that stops, can stop the service or fill its memory. */
export interface ServiceLog extends Log {
  /** Calls the listener with how many lines could not be written. */
  onLost(listener: (lines: number) => void): void
  /** Waits until the reader has what was written, half a second at most. */
  flush(): Promise<void>
}

/** Creates a log that writes one line for each event to a stream, standard output for example. */
export function createLog({ level, stream, format = 'json', colours = false }: LogOptions): ServiceLog {
  let listener: ((lines: number) => void) | undefined
  const transport = boundedTransport(stream, {
    lost: (lines) => listener?.(lines),
    resumed: (lines) => log.warn('log lines lost', { detail: `${lines} could not be written` }),
  })
  const { levels } = winston.config.npm
  const line = winston.format.printf((info) => (format === 'json' ? JSON.stringify(info) : prettyLine(info, colours)))
  const logger = winston.createLogger({ level: 'silly', format: line, transports: [transport] })
  const at = (of: string) => {
    const isWritten = levels[of]! <= levels[level]!
    return (message: string, fields: LogFields = {}): void => {
      if (!isWritten && message !== AWAITED) return
      logger.log({ level: of, message, ...allowed(fields), timestamp: new Date().toISOString() })
    }
  }
  const log: Log = { info: at('info'), warn: at('warn'), error: at('error') }
  return {
    ...log,
    onLost: (called) => void (listener = called),
    async flush() {
      // The lines of this turn are written at its end.
      await endOfTurn()
      for (let waited = 0; stream.writableLength > 0 && waited < FLUSH_MS; waited += FLUSH_POLL_MS) {
        await sleep(FLUSH_POLL_MS)
      }
    },
  }
}

/** Returns the fields that may be written. */
function allowed(fields: LogFields): Record<string, unknown> {
  const entry: Record<string, unknown> = {}
  for (const name of FIELDS) if (fields[name] !== undefined) entry[name] = fields[name]
  if (fields.cause !== undefined) entry['cause'] = causeOf(fields.cause)
  return entry
}

/** Name, message and where in our code; never the properties that libraries hang on an error (commands, bodies). */
function causeOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return [typeof cause]
  const stack = (cause.stack ?? '').split('\n').slice(1, 6)
  const own = [`${cause.name}: ${cause.message}`, ...stack.map((at) => at.trim())]
  return cause.cause instanceof Error ? [...own, ...causeOf(cause.cause).slice(0, 2)] : own
}
