import { isUtf8 } from 'node:buffer'
import { Fault } from '../domain/codes.ts'
import { formFields, multipartFields } from './form-fields.ts'
import { jsonFields } from './json-fields.ts'

/** A request's fields by name, as they came; nothing of a prototype is ever among them. */
export type Fields = ReadonlyMap<string, unknown>

const READERS = new Map<string, (text: string, contentType: string) => Fields | Promise<Fields>>([
  ['application/json', jsonFields],
  ['application/x-www-form-urlencoded', formFields],
  ['multipart/form-data', multipartFields],
])

/**
 * Parses a JSON object or a form.
 *
 * @throws {Fault} `unsupported-media-type`, or `bad-request` for whatever is malformed or says one thing twice.
 */
export function readFields(contentType: string, bytes: Buffer): Fields | Promise<Fields> {
  if (contentType === '' && bytes.length === 0) return new Map()
  const read = READERS.get(mediaType(contentType))
  if (!read) throw Fault.of('unsupported-media-type')
  if (!isUtf8(bytes)) throw Fault.of('bad-request')
  return read(bytes.toString(), contentType)
}

/** Returns the type without its parameters, of which only `charset=utf-8` is known, and what a multipart form has; anything else is refused. */
function mediaType(contentType: string): string {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (type === 'multipart/form-data') return parameters.length > 0 ? type : ''
  const isReadable = parameters.every(
    (parameter) => parameter === '' || /^charset="?utf-?8"?$/.test(parameter),
  )
  return isReadable ? type : ''
}
