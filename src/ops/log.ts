import type { Writable } from 'node:stream'
import winston from 'winston'
import type { Log, LogFields } from '../ports.ts'

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

/**
 * JSON lines: level, message, timestamp, and the fields that were given.
 *
 * @param level the least that is written: `error`, `warn`, `info` or `debug`.
 */
export function jsonLog(level: string, stream: Writable): Log {
  const logger = winston.createLogger({
    level,
    format: winston.format.printf((info) => String(info.message)),
    transports: [new winston.transports.Stream({ stream })],
  })
  // A log that cannot be written must never stop the service.
  stream.on('error', () => {})
  const write = (at: string, message: string, fields: LogFields): void => {
    if (logger.isLevelEnabled(at)) logger.log(at, line(at, message, fields))
    else if (message === AWAITED) stream.write(`${line(at, message, fields)}\n`)
  }
  return {
    info: (message, fields = {}) => write('info', message, fields),
    warn: (message, fields = {}) => write('warn', message, fields),
    error: (message, fields = {}) => write('error', message, fields),
  }
}

function line(level: string, message: string, fields: LogFields): string {
  const entry: Record<string, unknown> = { level, message, timestamp: new Date().toISOString() }
  for (const name of FIELDS) if (fields[name] !== undefined) entry[name] = fields[name]
  if (fields.cause !== undefined) entry['cause'] = causeOf(fields.cause)
  return JSON.stringify(entry)
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
