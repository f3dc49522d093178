import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import {
  type AddressRange,
  parseAddressRange,
  type RangeSet,
  rangeSet,
} from '../domain/site-rules/ranges.ts'

/** Bytes; 50,000 ranges are about 1 MB. */
const MAX_SIZE = 64 * 1024 * 1024
/** Lines between two turns of the event loop: about 2 ms. */
const SLICE = 1000

/**
 * Reads a list of addresses and CIDR ranges, one a line; what follows `#` or `;` is a comment.
 *
 * Refuses the whole list if it is empty, covers every address, or has a malformed line: half a download must never be
 * taken for a short list. Errors quote nothing of the file.
 *
 * @throws {Error} with a sentence for the operator.
 */
export async function readRangeList(file: string): Promise<RangeSet> {
  const bytes = await readFile(file)
  if (bytes.length > MAX_SIZE)
    throw new Error(`${file} has ${bytes.length} bytes, expected at most 64 MiB`)
  const ranges: AddressRange[] = []
  for (const [index, line] of bytes.toString('latin1').split('\n').entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate()
    const text = withoutComment(line)
    if (text !== '') ranges.push(listedRange(text, `${file}, line ${index + 1}`))
  }
  if (ranges.length === 0) throw new Error(`${file} has no address`)
  return rangeSet(ranges)
}

export const withoutComment = (line: string): string => line.replace(/[#;].*/s, '').trim()

/**
 * Reads one entry of a list.
 *
 * @param where begins the sentence: `crawler.txt, line 2`.
 */
export function listedRange(text: string, where: string): AddressRange {
  const range = parseAddressRange(text)
  if (!range) throw new Error(`${where} is not an address or a CIDR range`)
  if (text.endsWith('/0')) throw new Error(`${where} covers every address`)
  return range
}
