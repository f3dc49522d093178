import { ReplyError } from 'ioredis'

/** Error codes after which to reconnect: the name may resolve to another server by now. */
const TO_LEAVE = new Set(['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS'])
/** Those of a server that answers and cannot serve now: another one may, or the same one later. */
const BUSY = new Set([...TO_LEAVE, 'TRYAGAIN', 'OOM', 'MISCONF'])

/** Returns the code of an error reply. Before Redis 7, what happens inside a script stands behind `: -`. */
const codeOf = ({ message }: Error): string | undefined =>
  (/: -([A-Z]+) /.exec(message) ?? /^([A-Z]+) /.exec(message))?.[1]

/** Reports whether an error reply says that another server may serve what this one cannot. */
export const isToLeave = (error: Error): boolean => TO_LEAVE.has(codeOf(error) ?? '')

/** A call without an answer, or with an error for one. Never carries the command's arguments, as the library's errors do. */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure'
  /** The first word of an error reply; undefined: there was no reply. */
  readonly code: string | undefined
  /** Whether Redis cannot be asked at all, rather than refusing this command alone. */
  readonly isOutage: boolean

  constructor(error: Error) {
    const inner = error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as Error) : error
    super(inner.message.split(/\r?\n|,? with args/)[0]!.slice(0, 200))
    this.code = error instanceof ReplyError ? codeOf(error) : undefined
    this.isOutage = !(error instanceof ReplyError) || BUSY.has(this.code ?? '')
  }
}

/** For work that is retried later. @throws anything that is not a failure of Redis. */
export function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof RedisFailure)) throw error
}
