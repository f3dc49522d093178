/** What the Redis client throws, sorted by what it means for the one who asked. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
export const isReadOnly = (error: unknown): boolean => messageOf(error).includes('READONLY')

/** The client had no connection to send on, so nothing can have happened. What it says otherwise counts as sent. */
export const wasNeverSent = (error: unknown): boolean => messageOf(error).includes('enableOfflineQueue')

/** What a script answered in place of a reply: the server's own words. */
export const scriptError = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' })

/** The server itself answered so; it is there. */
export const isReply = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError'

/** The client waited for the answer in vain, on a connection that is still there. */
export const isTimeOut = (error: unknown): boolean => messageOf(error) === 'Command timed out'

/** Whether a second try can help: the answer was lost or late, or came from a server that is being left. */
export const mayPass = (error: unknown): boolean => !isReply(error) || isReadOnly(error)

/**
 * An error as it may leave this room. The library's carry the command with its arguments, AUTH's included,
 * and some servers repeat arguments in the message.
 */
export function withoutArguments(error: unknown): string {
  const inner = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error
  return messageOf(inner)
    .split(/\r?\n|,? with args/)[0]!
    .slice(0, 200)
}

export const toError = (error: unknown): Error => new Error(withoutArguments(error))
