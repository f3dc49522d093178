import type { FailureAnswer } from '../../wire.ts'

/** The media type of every JSON answer. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** The body of every answer that is no verdict. */
export const failureText = (codes: FailureAnswer['error-codes']): string =>
  JSON.stringify({ success: false, 'error-codes': codes } satisfies FailureAnswer)

/** A failure that is answered below the application, where nothing is known of the request: its headers and its body. */
export interface ReadyFailure {
  readonly head: Readonly<Record<string, string | number>>
  readonly body: string
}

/** Makes the answer once, at start. */
export function readyFailure(code: FailureAnswer['error-codes'][0]): ReadyFailure {
  const body = failureText([code])
  return { head: { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store', 'Content-Length': body.length }, body }
}
