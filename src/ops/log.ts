import type { Writable } from 'node:stream'
import winston from 'winston'
import type { Log, LogFields } from '../ports.ts'
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
  'would_reject',
  'network',
  'url',
  'ops_url',
  'detail',
  'hint',
  'decision',
] as const satisfies readonly (keyof LogFields)[]

/** Said whatever the level: whoever starts the process waits for it. CONTRACT.md, section 1. */
const AWAITED = 'listening'

/** How a line is written: from its level, its message and what it was given. */
export type LineFormat = (level: string, message: string, fields: LogFields) => string

/** JSON lines on a stream. @param level the least that is written: `error`, `warn`, `info` or `debug`. */
export const jsonLog = (level: string, stream: Writable): Log => logTo(level, stream, jsonLine)

/**
 * Lines with level, message, time, and the fields that were given and are on the list.
 *
 * @param level the least that is written: `error`, `warn`, `info` or `debug`.
 */
export function logTo(level: string, stream: Writable, format: LineFormat): Log {
  const logger = winston.createLogger({
    level,
    format: winston.format.printf((info) => String(info.message)),
    transports: [new winston.transports.Stream({ stream })],
  })
  // A log that cannot be written must never stop the service.
  stream.on('error', () => {})
  const write = (at: string, message: string, fields: LogFields): void => {
    if (logger.isLevelEnabled(at)) logger.log(at, format(at, message, fields))
    else if (message === AWAITED) stream.write(`${format(at, message, fields)}\n`)
  }
  return {
    info: (message, fields = {}) => write('info', message, fields),
    warn: (message, fields = {}) => write('warn', message, fields),
    error: (message, fields = {}) => write('error', message, fields),
  }
}

/** One JSON object. */
export const jsonLine: LineFormat = (level, message, fields) =>
  JSON.stringify({ level, message, timestamp: new Date().toISOString(), ...listed(fields) })

/** For people at a terminal. */
export const lineForPeople =
  (colours: boolean): LineFormat =>
  (level, message, fields) =>
    prettyLine({ level, message, at: new Date(), fields: listed(fields), colours })

/** What may be written of what was given. */
function listed(fields: LogFields): Record<string, unknown> {
  const entry: Record<string, unknown> = {}
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
