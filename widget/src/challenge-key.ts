import { sha256 } from './sha256.ts'

/** Missing on plain http. */
const { subtle } = crypto

/**
 * The key of a challenge: SHA-256("hv-pow/s32" ‖ 0x00 ‖ challenge token) as eight little-endian int32, as all browsers' processors have them.
 *
 * @see docs/design/proof-of-work.md, "The protocol"
 */
export async function challengeKey(challenge: string): Promise<Int32Array> {
  const bytes = new TextEncoder().encode(`hv-pow/s32\0${challenge}`)
  return new Int32Array(subtle ? await subtle.digest('SHA-256', bytes) : sha256(bytes))
}
