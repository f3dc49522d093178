import type { RareScript } from './rare-script.ts'

/** Missing on plain http. */
const { subtle } = crypto

/**
 * The key of a challenge: SHA-256("hv-pow/s32" ‖ 0x00 ‖ challenge token) as eight little-endian int32.
 *
 * @param loadRare loads SHA-256 in plain JavaScript, for pages without `crypto.subtle`.
 * @see docs/design/proof-of-work.md, "The protocol"
 */
export async function keyOf(
  challenge: string,
  loadRare: () => Promise<Pick<RareScript, 'sha256'>>,
): Promise<Int32Array> {
  const bytes = new TextEncoder().encode(`hv-pow/s32\0${challenge}`)
  // All browsers run on little-endian processors.
  return new Int32Array(subtle ? await subtle.digest('SHA-256', bytes) : (await loadRare()).sha256(bytes))
}
