import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { type AddressRange, parseAddressRange, type RangeSet, rangeSet } from '../domain/site-rules/ranges.ts'

/** Bytes; 50,000 ranges are about 1 MB. */
const LARGEST = 64 * 1024 * 1024
/** Lines between two turns of the event loop: about 2 ms. */
const SLICE = 1000

/**
 * Reads a list of addresses and CIDR ranges, one a line; what follows `#` or `;` is a comment.
 *
 * A list that holds nothing, everything, or a line that is neither is refused whole: half a download must never be
 * taken for a short list. Nothing of the file is quoted, whatever it turns out to be.
 *
 * @throws {Error} with a sentence for the operator.
 */
export async function readCidrList(file: string): Promise<RangeSet> {
  const bytes = await readFile(file)
  if (bytes.length > LARGEST) throw new Error(`${file} wants at most 64 MiB; got ${bytes.length} bytes`)
  const ranges: AddressRange[] = []
  for (const [index, line] of bytes.toString('latin1').split('\n').entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate()
    const text = line.replace(/[#;].*/s, '').trim()
    if (text === '') continue
    const range = parseAddressRange(text)
    if (!range) throw new Error(`${file}, line ${index + 1}: wants an address or a CIDR range`)
    if (text.endsWith('/0')) throw new Error(`${file}, line ${index + 1}: holds everybody`)
    ranges.push(range)
  }
  if (ranges.length === 0) throw new Error(`${file} holds no address`)
  return rangeSet(ranges)
}
