import type { Writable } from 'node:stream'
import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises'
import winston from 'winston'
import type { Log, LogFields } from '../domain/observing.ts'
import { boundedTransport } from './bounded-transport.ts'
import { prettyLine } from './pretty-line.ts'

/**
 * The only fields that a line may have besides its cause, in this order. Everything else is dropped: there is no field for a
 * secret, a token or a full address. `detail`, `hint` and the message of a cause are free text, so whoever writes them must leave
 * these out.
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

/** Is written at every level: the program that starts the process waits for it. docs/api/api.md, "Processes and commands". */
const AWAITED = 'listening'

/** Milliseconds that an ending process waits for the reader of its log. */
const FLUSH_MS = 500
/** Milliseconds between two checks whether the reader has read everything. */
const FLUSH_POLL_MS = 10

export interface LogOptions {
  /** The lowest level that is written: `error`, `warn` or `info`. */
  readonly level: string
  readonly stream: Writable
  readonly format?: 'json' | 'pretty'
  /** Applies to `pretty`. */
  readonly colours?: boolean
}

/** The log of a service. A missing or stopped reader neither stops the service nor fills its memory. */
export interface ServiceLog extends Log {
  /** Calls the listener with how many lines could not be written. */
  onLost(listener: (lines: number) => void): void
  /** Waits until the reader has what was written, half a second at most. */
  flush(): Promise<void>
}

/** Where winston keeps the level that its transports look at, whatever a format makes of the line. */
const LEVEL = Symbol.for('level')

/** Drops lines below a level, except the awaited one. */
const atLevel = (level: string) =>
  winston.format((line) => {
    const { levels } = winston.config.npm
    return line.message === AWAITED || levels[line.level]! <= levels[level]! ? line : false
  })()

/** Keeps the fields that may be written, in their order. */
const redacted = winston.format((line) => {
  const { level, message, timestamp, cause } = line
  const kept: winston.Logform.TransformableInfo = { [LEVEL]: line[LEVEL], level, message }
  for (const name of FIELDS) if (line[name] !== undefined) kept[name] = line[name]
  if (cause !== undefined) kept['cause'] = causeOf(cause)
  return Object.assign(kept, { timestamp })
})

/** Creates a log that writes one line for each event to a stream, standard output for example. */
export function createLog({
  level,
  stream,
  format = 'json',
  colours = false,
}: LogOptions): ServiceLog {
  let listener: ((lines: number) => void) | undefined
  const transport = boundedTransport(stream, {
    lost: (lines) => listener?.(lines),
    resumed: (lines) => log.warn('log lines lost', { detail: `${lines} could not be written` }),
  })
  const { combine, timestamp, json, printf } = winston.format
  const spelled =
    format === 'json'
      ? json({ deterministic: false })
      : printf((entry) => prettyLine(entry, colours))
  const logger = winston.createLogger({
    // Every level reaches the format, which drops what is below ours.
    level: 'silly',
    format: combine(atLevel(level), timestamp(), redacted(), spelled),
    transports: [transport],
  })
  const log: Log = {
    info: (message, fields = {}) => void logger.info(message, fields),
    warn: (message, fields = {}) => void logger.warn(message, fields),
    error: (message, fields = {}) => void logger.error(message, fields),
  }
  return {
    ...log,
    onLost(called) {
      listener = called
    },
    async flush() {
      // The lines of this turn are written at its end.
      await endOfTurn()
      for (
        let waited = 0;
        stream.writableLength > 0 && waited < FLUSH_MS;
        waited += FLUSH_POLL_MS
      ) {
        await sleep(FLUSH_POLL_MS)
      }
    },
  }
}

/** Returns name, message and the first stack frames, never the properties that libraries add to an error (commands, bodies). */
function causeOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return [typeof cause]
  const stack = (cause.stack ?? '').split('\n').slice(1, 6)
  const own = [`${cause.name}: ${cause.message}`, ...stack.map((at) => at.trim())]
  return cause.cause instanceof Error ? [...own, ...causeOf(cause.cause).slice(0, 2)] : own
}
