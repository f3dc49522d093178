import { createHash } from 'node:crypto'

/** The service's own unit of work: whoever writes a bot has it from the widget. */
const s32 = () => import(new URL('../../../dist/work/s32.js', import.meta.url).href)

/**
 * The work of a challenge, done honestly in one go. docs/design/work.md, "The protocol", step 2.
 *
 * @param {string} challenge
 * @param {{ n: number, s: number }} work
 * @returns {Promise<string>} the solution as it travels
 */
export async function solve(challenge, { n, s }) {
  const { hitThreshold, prepare, SAMPLES, tagOf, unit } = await s32()
  const digest = createHash('sha256').update('hv-pow/s32\0').update(challenge).digest()
  const key = Int32Array.from({ length: 8 }, (_, i) => digest.readInt32LE(i * 4))
  const bytes = []
  let previous = -1
  prepare(key, s)
  for (let index = 0, hits = 0; hits < Math.min(n, SAMPLES); index++) {
    const output = unit(key, index, s)
    if (output > hitThreshold(n)) continue
    if (n > SAMPLES) pushVarint(bytes, index - previous - 1)
    bytes.push(tagOf(output) & 0xff, tagOf(output) >>> 8)
    previous = index
    hits++
  }
  return Buffer.from(bytes).toString('base64url')
}

function pushVarint(bytes, value) {
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  bytes.push(value)
}
