import { SAMPLES } from './s32.ts'

/** One output as handed in: which unit, and the low 16 bits of what came out. */
export interface Sample {
  readonly index: number
  readonly tag: number
}

/**
 * Writes a solution as it travels. One source for the widget and for every other program that does the work; needs nothing of Node.
 *
 * @param n the units of the challenge. Up to 512: a tag of every unit; above: 512 hits, each with its index.
 * @param samples in index order, exactly as many as are wanted.
 * @returns base64url without padding; `parseSolution` reads it.
 * @see docs/design/work.md, "The protocol", step 2
 */
export function spellSolution(n: number, samples: readonly Sample[]): string {
  const bytes: number[] = []
  let previous = -1
  for (const { index, tag } of samples) {
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
