import { SAMPLES } from '../../src/domain/s32.ts'
import { sha256 } from './sha256.ts'

/** A unit whose output counts: its number and the low 16 bits of the output. */
export interface Hit {
  readonly index: number
  readonly tag: number
}

/** The key of a challenge: SHA-256("hv-pow/s32" ‖ 0x00 ‖ challenge token) as eight little-endian int32. POW.md. */
export function keyOf(challenge: string): Int32Array {
  const words = sha256(new TextEncoder().encode(`hv-pow/s32\0${challenge}`))
  const bytes = new DataView(new ArrayBuffer(32))
  words.forEach((word, i) => bytes.setInt32(i * 4, word))
  return Int32Array.from(words, (_, i) => bytes.getInt32(i * 4, true))
}

/**
 * Writes a solution as it travels. POW.md, "The protocol", 2.
 *
 * @param n the units of the challenge. Up to 512: a tag of every unit; above: 512 hits, each with its index.
 * @param hits in index order, exactly as many as are wanted.
 * @returns base64url without padding.
 */
export function encodeSolution(n: number, hits: readonly Hit[]): string {
  const bytes: number[] = []
  let previous = -1
  for (const { index, tag } of hits) {
    if (n > SAMPLES) pushVarint(bytes, index - previous - 1)
    bytes.push(tag & 0xff, tag >>> 8)
    previous = index
  }
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
}

/** Unsigned LEB128: seven bits a byte, the lowest first, the top bit says that more follow. */
function pushVarint(bytes: number[], value: number): void {
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
}
