import { Fault } from '../domain/codes.ts'
import { parseQuietly } from './parse-quietly.ts'

/** Fields of a form, or of a JSON object; the longest request has six. */
export const MOST_FIELDS = 256
/** Fields of a multipart form, whose parser takes 3 µs for each. */
const MOST_PARTS = 16

/** Parses `application/x-www-form-urlencoded`. */
export function formFields(text: string): ReadonlyMap<string, unknown> {
  const pairs = text.split('&', MOST_FIELDS + 1).filter((pair) => pair !== '')
  return uniqueFields(
    pairs.map((pair) => {
      const [name] = pair.split('=', 1) as [string]
      return [decodePart(name), decodePart(pair.slice(name.length + 1))]
    }),
  )
}

const decodePart = (part: string): string =>
  // Tokens and secrets have nothing to decode.
  /[%+]/.test(part) ? parseQuietly(part.replaceAll('+', ' '), decodeURIComponent) : part

/**
 * Parses `multipart/form-data` by the parser of Node.js' own `fetch`: samples of other vendors send the fields of siteverify like
 * this, without files.
 */
export async function multipartFields(
  text: string,
  contentType: string,
): Promise<ReadonlyMap<string, unknown>> {
  // Each part begins on its own line, and so does the end. They are counted first, as in JSON.
  if (text.split('\n--', MOST_PARTS + 2).length > MOST_PARTS + 1) throw Fault.of('bad-request')
  const body = new globalThis.Response(text, { headers: { 'content-type': contentType } })
  const data = await body.formData().catch(() => {
    // Its error is not kept, not even as a cause: it may quote the body.
    throw Fault.of('bad-request')
  })
  return uniqueFields([...data])
}

function uniqueFields(
  pairs: readonly (readonly [string, unknown])[],
): ReadonlyMap<string, unknown> {
  const fields = new Map(pairs)
  if (fields.size !== pairs.length || pairs.length > MOST_FIELDS) throw Fault.of('bad-request')
  return fields
}
