import { hash } from 'node:crypto'
import { type PowKey, hitThreshold, indexBound, prepare, SAMPLES, tagOf, unit } from './s32.ts'
import type { Pow } from '../domain/challenge.ts'
import type { Sample } from './spell-solution.ts'

/** Positions that the server recomputes, whatever the difficulty. docs/design/work.md, "The protocol", step 4. */
export const CHECKED_POSITIONS = 2

/** Smallest part of the work that is accepted. A slower device continues until it has that much. */
const LEAST_PART = 1 / 4

/** How many samples stand for all of the work. */
const samplesOf = (units: number): number => Math.min(units, SAMPLES)

/**
 * How much of the work was done, 0 to 1. Samples cannot be had for less: each of them costs its share of the units, and
 * the two that are checked are picked among those that were handed in.
 */
export const partDone = (samples: readonly Sample[], units: number): number => samples.length / samplesOf(units)

/** The longest solution that any difficulty can have: 512 hits of 3 + 2 bytes, as base64url. */
export const LONGEST_SOLUTION = Math.ceil((SAMPLES * 5 * 4) / 3)

/** The key of the work: every signed claim of the challenge is bound into it, algorithm and difficulty included. */
export function powKey(challengeToken: string): PowKey {
  const digest = hash('sha256', `hv-pow/s32\0${challengeToken}`, 'buffer')
  const key = new Int32Array(8)
  for (let i = 0; i < 8; i++) key[i] = digest.readInt32LE(i * 4)
  return key
}

/**
 * Reads a solution: a count between a quarter and all, exact length, canonical numbers, increasing and bounded
 * indices.
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
  for (let at = 0, index = -1; at < bytes.length;) {
    const delta = units <= SAMPLES ? { value: 0, end: at } : readVarint(bytes, at)
    if (!delta || bytes.length < delta.end + 2) return undefined
    index += delta.value + 1
    if (index >= bound) return undefined
    samples.push({ index, tag: bytes.readUInt16LE(delta.end) })
    at = delta.end + 2
  }
  return samples
}

/** An unsigned LEB128 number of at most 3 bytes, in its shortest form only. */
function readVarint(bytes: Buffer, at: number): { value: number; end: number } | undefined {
  let value = 0
  for (let length = 1; length <= 3; length++) {
    const byte = bytes[at + length - 1]
    if (byte === undefined) return undefined
    value |= (byte & 0x7f) << (7 * (length - 1))
    if (byte < 0x80) return byte === 0 && length > 1 ? undefined : { value, end: at + length }
  }
  return undefined
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
    throw new RangeError(`a solution wants at least ${CHECKED_POSITIONS} samples; got ${count}`)
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
