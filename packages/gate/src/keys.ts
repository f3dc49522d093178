import { randomBytes } from 'node:crypto'

/** A key of clearances. The first of a file signs, each of them opens. */
export interface Key {
  readonly kid: string
  readonly secret: Uint8Array
}
interface Written {
  readonly kid: string
  readonly k: string
}

/** Keys that stay in a file: the newest signs, the clearances of the others still count. */
const MOST = 3

/** Reads a key file. Returns undefined for anything else, and for a key that is too short. @throws {SyntaxError} */
export function readKeys(text: string): readonly Key[] | undefined {
  const { keys = [] } = JSON.parse(text) as { readonly keys?: readonly Partial<Written>[] }
  const read = keys.map(({ kid = '', k = '' }) => ({ kid, secret: Buffer.from(k, 'base64url') }))
  return read.length > 0 && read.every(({ kid, secret }) => kid !== '' && secret.length >= 32) ? read : undefined
}

/** Returns the text of a key file with a new first key. @param earlier the file so far. */
export function withNewKey(earlier = '{ "keys": [] }'): string {
  const fresh = { kid: randomBytes(6).toString('base64url'), k: randomBytes(32).toString('base64url') }
  const { keys } = JSON.parse(earlier) as { readonly keys: readonly Written[] }
  return `${JSON.stringify({ keys: [fresh, ...keys].slice(0, MOST) }, undefined, 2)}\n`
}
