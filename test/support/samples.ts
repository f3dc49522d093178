import { parseSolution } from '../../src/work/solution.ts'
import type { Sample } from '../../src/work/spell-solution.ts'

/** A solution's samples, all of them. @returns undefined where `parseSolution` refuses it. */
export function readSamples(text: string, units: number): readonly Sample[] | undefined {
  const samples = parseSolution(text, units)
  return samples && Array.from({ length: samples.length }, (_, position) => samples.at(position)!)
}
