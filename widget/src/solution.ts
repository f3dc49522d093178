import { sha256 } from './sha256.ts'

/** The key of a challenge: SHA-256("hv-pow/s32" ‖ 0x00 ‖ challenge token) as eight little-endian int32. POW.md. */
export function keyOf(challenge: string): Int32Array {
  const words = sha256(new TextEncoder().encode(`hv-pow/s32\0${challenge}`))
  const bytes = new DataView(new ArrayBuffer(32))
  words.forEach((word, i) => bytes.setInt32(i * 4, word))
  return Int32Array.from(words, (_, i) => bytes.getInt32(i * 4, true))
}
