import { claimsIn } from './claims.ts'

/** A field's name and value, as the form carried them. */
export type BoundValue = readonly [name: string, value: string]

/**
 * The digest of a form's values as the widget put it into the token: HMAC-SHA-256 under the token's id, over each name and
 * each value as a netstring.
 *
 * @param response the token.
 * @param values in the order of `data-bind`; a name that was sent twice, twice.
 * @returns 64 hexadecimal digits; undefined where the response names no id, as no token of ours does.
 */
export async function bindingOf(response: string, values: readonly BoundValue[]): Promise<string | undefined> {
  const jti = idOf(response)
  if (jti === undefined) return undefined
  const text = values
    .flat()
    .map((part) => netstring(part.replaceAll(/\r\n?/g, '\n')))
    .join('')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(jti), algorithm, false, ['sign'])
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const netstring = (text: string): string => `${bytesOf(text).length}:${text},`

/** The id in a token. Nothing is decided by it: the service checks the token. */
function idOf(response: string): string | undefined {
  const { jti } = claimsIn(response)
  return typeof jti === 'string' && jti !== '' ? jti : undefined
}

/**
 * The named fields of a body that a framework has parsed. A number of a JSON object counts as its digits; a file and
 * whatever else is no text is left out, as the widget leaves it out.
 */
export function boundValues(fields: unknown, names: readonly string[]): BoundValue[] {
  if (fields === null || typeof fields !== 'object') return []
  return names.flatMap((name) => {
    const value: unknown = Object.hasOwn(fields, name) ? (fields as Record<string, unknown>)[name] : []
    const all = (Array.isArray(value) ? value : [value]) as unknown[]
    return all.filter(isWord).map((each) => [name, String(each)] as const)
  })
}

const isWord = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'
