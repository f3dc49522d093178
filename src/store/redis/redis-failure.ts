import { ReplyError } from 'ioredis'

/** Error codes after which to reconnect: the name may now resolve to another server. */
const TO_LEAVE = new Set(['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS'])
/** Error codes of a server that cannot serve now; another one can, or the same one later. */
const BUSY = new Set([...TO_LEAVE, 'TRYAGAIN', 'OOM', 'MISCONF'])

/** Returns the code of an error reply. Before Redis 7, the code of an error inside a script follows `: -`. */
const codeOf = ({ message }: Error): string | undefined =>
  (/: -([A-Z]+) /.exec(message) ?? /^([A-Z]+) /.exec(message))?.[1]

/** Reports whether an error reply means that another server may serve instead. */
export const isToLeave = (error: Error): boolean => TO_LEAVE.has(codeOf(error) ?? '')

/** A call that had no answer or an error reply. Unlike the library's errors it never contains the command's arguments. */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure'
  /** The first word of an error reply; undefined: there was no reply. */
  readonly code: string | undefined
  /** Whether Redis cannot be used at all, rather than refusing only this command. */
  readonly isOutage: boolean

  constructor(error: Error) {
    const { message } = oneOf(error)
    super(message.split(/\r?\n|,? with args/)[0]!.slice(0, 200))
    this.code = error instanceof ReplyError ? codeOf(error) : undefined
    this.isOutage = !(error instanceof ReplyError) || BUSY.has(this.code ?? '')
  }
}

/** Returns one of several errors: of the addresses of a host, or of the nodes of a Cluster (ioredis' `lastNodeError`). */
function oneOf(error: Error): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors[0] as Error
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) return error.lastNodeError
  return error
}

/** Ignores failures of work that is retried later. @throws any other error. */
export function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof RedisFailure)) throw error
}
