/*
 * Adds `Uint8Array.fromBase64` and `toBase64` of ECMAScript 2026 to Node.js before 25. jose uses them if they exist; its own
 * code is slower: with these it signs a token in 19 µs of CPU instead of 22, and verifies one in 15 instead of 19.
 */

interface Base64 {
  /** If omitted: `base64`. */
  readonly alphabet?: 'base64' | 'base64url'
  readonly omitPadding?: boolean
}

const SPELLED = { base64: /^[A-Za-z0-9+/]*={0,2}$/, base64url: /^[A-Za-z0-9_-]*={0,2}$/ } as const

/** @throws {SyntaxError} for a letter of another alphabet. */
function fromBase64(text: string, { alphabet = 'base64' }: Base64 = {}): Uint8Array {
  if (!SPELLED[alphabet].test(text)) throw new SyntaxError(`expected ${alphabet}`)
  return new Uint8Array(Buffer.from(text, alphabet))
}

function toBase64(this: Uint8Array, { alphabet = 'base64', omitPadding = false }: Base64 = {}): string {
  const text = Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString(alphabet).replace(/=+$/, '')
  return omitPadding ? text : text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

if (!('fromBase64' in Uint8Array)) {
  const property = { configurable: true, writable: true }
  Object.defineProperty(Uint8Array, 'fromBase64', { ...property, value: fromBase64 })
  // oxlint-disable-next-line no-extend-native -- as the standard has it, and where jose looks
  Object.defineProperty(Uint8Array.prototype, 'toBase64', { ...property, value: toBase64 })
}
