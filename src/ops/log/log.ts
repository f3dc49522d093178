import type { Writable } from 'node:stream'
import winston from 'winston'
import Transport from 'winston-transport'
import type { Log, LogFields } from '../../ports/observing.ts'
import { prettyLine } from './pretty.ts'

/**
 * The only fields that a line may have, in this order. Whatever else is handed in is dropped:
 * secrets, tokens and full addresses have no name here, so they cannot be written.
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

/** Said whatever the level: whoever starts the process waits for it. docs/design/contract.md, "Processes and commands". */
const AWAITED = 'listening'

/** How a line is written: from its level, its message and what it was given. */
export type LineFormat = (level: string, message: string, fields: LogFields) => string

/** JSON lines on a stream. @param level the least that is written: `error`, `warn`, `info` or `debug`. */
export function jsonLog(level: string, stream: Writable): Log {
  // A log that cannot be written must never stop the service.
  stream.on('error', () => {})
  return logTo(level, (line) => void stream.write(`${line}\n`), jsonLine)
}

/**
 * Lines with level, message, time, and the fields that were given and are on the list.
 *
 * A transport of one function, and what is enabled asked once: winston's stream transport puts a task of the event loop and a
 * second stream behind each line, and looks through its transports before; 3 µs (bench/siteverify.mjs).
 *
 * @param level the least that is written: `error`, `warn`, `info` or `debug`.
 * @param write takes a line, without its end.
 */
export function logTo(level: string, write: (line: string) => void, format: LineFormat): Log {
  const transport = new Transport({
    log(info: { readonly message: string }, done: () => void) {
      write(info.message)
      done()
    },
  })
  const logger = winston.createLogger({ level, format: winston.format((info) => info)(), transports: [transport] })
  const at = (of: string): ((message: string, fields?: LogFields) => void) => {
    const isEnabled = logger.isLevelEnabled(of)
    return (message, fields = {}) => {
      if (isEnabled) logger.log(of, format(of, message, fields))
      else if (message === AWAITED) write(format(of, message, fields))
    }
  }
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** One JSON object. */
export const jsonLine: LineFormat = (level, message, fields) =>
  JSON.stringify(listed(fields, { level, message, timestamp: timestamp() }))

let spelledAt = NaN
let spelled = ''

/** Now. Many lines are of one millisecond, and to spell it takes 0.4 µs. */
function timestamp(): string {
  const now = Date.now()
  if (now !== spelledAt) {
    spelledAt = now
    spelled = new Date(now).toISOString()
  }
  return spelled
}

/** For people at a terminal. */
export const lineForPeople =
  (colours: boolean): LineFormat =>
  (level, message, fields) =>
    prettyLine({ level, message, at: new Date(), fields: listed(fields), colours })

/** What may be written of what was given, after what is there already. */
function listed(fields: LogFields, entry: Record<string, unknown> = {}): Record<string, unknown> {
  for (const name of FIELDS) if (fields[name] !== undefined) entry[name] = fields[name]
  if (fields.cause !== undefined) entry['cause'] = causeOf(fields.cause)
  return entry
}

/** Name, message and where in our code; never the properties that libraries hang on an error (commands, bodies). */
function causeOf(cause: unknown): string[] {
  if (!(cause instanceof Error)) return [typeof cause]
  const own = [
    `${cause.name}: ${cause.message}`,
    ...(cause.stack ?? '')
      .split('\n')
      .slice(1, 6)
      .map((at) => at.trim()),
  ]
  return cause.cause instanceof Error ? [...own, ...causeOf(cause.cause).slice(0, 2)] : own
}
