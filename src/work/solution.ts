import { hash } from 'node:crypto'
import { type PowKey, hitThreshold, indexBound, prepare, SAMPLES, tagOf, unit } from './s32.ts'
import type { Pow } from './pow.ts'
import type { Sample } from './spell-solution.ts'

/** Positions that the server recomputes, whatever the difficulty. docs/design/work.md, "The protocol", step 4. */
const CHECKED_POSITIONS = 2

/** Smallest part of the work that is accepted. A slower device continues until it has that much. */
const LEAST_PART = 1 / 4

/** How many samples stand for all of the work. */
const samplesOf = (units: number): number => Math.min(units, SAMPLES)

/**
 * How much of the work was done, 0 to 1. Samples cannot be had for less: each of them costs its share of the units, and
 * the two that are checked are picked among those that were handed in.
 */
export const partDone = (samples: readonly Sample[], units: number): number =>
  samples.length / samplesOf(units)

/** The longest solution that any difficulty can have: 512 hits of 3 + 2 bytes, as base64url. */
const LONGEST_SOLUTION = Math.ceil((SAMPLES * 5 * 4) / 3)

/** The key of the work: every signed claim of the challenge is bound into it, algorithm and difficulty included. */
export function powKey(challengeToken: string): PowKey {
  const digest = hash('sha256', `hv-pow/s32\0${challengeToken}`, 'buffer')
  const key = new Int32Array(8)
  for (let i = 0; i < 8; i++) key[i] = digest.readInt32LE(i * 4)
  return key
}

/**
 * Reads a solution: a count from a quarter to all, exact length, canonical numbers, increasing and bounded indices.
 *
 * Up to 512 units: the tag of each, little-endian. Above: 512 hits, each `varint(index delta − 1)` and its tag, where
 * a hit is an output at or under `hitThreshold`. Fewer than all are the first ones, from a device that ran out of
 * time. One solution has one spelling.
 *
 * @returns undefined for anything else.
 * @see docs/design/work.md, "The protocol", steps 2 and 3
 */
export function parseSolution(text: string, units: number): readonly Sample[] | undefined {
  if (text.length > LONGEST_SOLUTION) return undefined
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) return undefined
  const samples = readSamples(bytes, units)
  const part = samples === undefined ? 0 : partDone(samples, units)
  return part >= LEAST_PART && part <= 1 ? samples : undefined
}

function readSamples(bytes: Buffer, units: number): readonly Sample[] | undefined {
  const bound = indexBound(units)
  const samples: Sample[] = []
  let at = 0

  /** Reads an unsigned LEB128 number of at most 3 bytes, in its shortest form only. @returns NaN for anything else. */
  function varint(): number {
    let value = 0
    for (let bits = 0; bits < 21; bits += 7) {
      const byte = bytes[at++] ?? 0xff
      value |= (byte & 0x7f) << bits
      if (byte < 0x80) return byte === 0 && bits > 0 ? NaN : value
    }
    return NaN
  }

  for (let index = -1; at < bytes.length; at += 2) {
    index += units <= SAMPLES ? 1 : varint() + 1
    if (!(index < bound) || bytes.length < at + 2) return undefined
    samples.push({ index, tag: bytes.readUInt16LE(at) })
  }
  return samples
}

/**
 * Picks the positions to recompute: distinct, and unknown to the sender of the solution.
 *
 * @param dice at least 8 pseudo-random bytes, derived from the keyring, the jti and the body's hash,
 *   so that the repeat of a request is checked at the same positions.
 * @param count how many samples there are; at least 2.
 */
export function pickPositions(dice: Buffer, count: number): readonly [number, number] {
  if (count < CHECKED_POSITIONS)
    throw new RangeError(
      `expected a solution of at least ${CHECKED_POSITIONS} samples; got ${count}`,
    )
  const first = dice.readUInt32LE(0) % count
  const second = (first + 1 + (dice.readUInt32LE(4) % (count - 1))) % count
  return [first, second]
}

/**
 * Reports whether the samples at these positions are what the units of `s32.1` really put out.
 * Half the work passes with probability ¼, so it costs twice as much per accepted token: no shortcut pays.
 */
export function checkSolution(
  key: PowKey,
  pow: Pow,
  samples: readonly Sample[],
  positions: readonly [number, number],
): boolean {
  prepare(key, pow.s)
  const threshold = hitThreshold(pow.n)
  return positions.every((position) => {
    const sample = samples[position]
    if (!sample) return false
    const output = unit(key, sample.index, pow.s)
    return output <= threshold && tagOf(output) === sample.tag
  })
}
