/**
 * `s32.1`, the unit of work: a walk of dependent reads and writes through a private 256 KiB table.
 *
 * One source for both sides: the widget's worker computes units 0 … n−1, the server recomputes two of them.
 * 32-bit integer operations only; no WASM, no `eval`, no BigInt, nothing of Node or the browser.
 * Tables and state are module-level typed arrays on purpose: the JIT folds their base and bounds
 * (70 µs a unit in Chromium on a Zen 4 core). One challenge at a time per thread; both uses are synchronous.
 *
 * @see POW.md, "Units", and test/vectors/s32.json
 */

const WORDS = 65_536
const table = new Int32Array(WORDS)
const base = new Int32Array(WORDS)
const state = new Int32Array(16)
const mixed = new Int32Array(16)
const imul = Math.imul
const GENERATOR = 0x915f77f5

/** What the outputs of a challenge are computed from: SHA-256("hv-pow/s32" ‖ 0x00 ‖ challenge token), little-endian. */
export type PowKey = Int32Array

/** Tags or hits in a solution, at the most. */
export const SAMPLES = 512

/**
 * The largest output that counts as a hit: about 512 of n outputs do.
 * Up to 512 units every output is handed in, so every output counts.
 */
export function hitThreshold(n: number): number {
  return n <= SAMPLES ? 0xffffffff : Math.floor((2 ** 32 * SAMPLES) / n) - 1
}

/**
 * The units a solution may reach to. Hits fall by chance, so the 512th comes at n on the average, with a deviation
 * of 4.4 %; half as much again is eleven deviations away.
 */
export function indexBound(n: number): number {
  return n <= SAMPLES ? n : Math.ceil(n * 1.5)
}

/** The 16 bits of an output that are handed in. */
export const tagOf = (output: number): number => output & 0xffff

function quarterRound(a: number, b: number, c: number, d: number): void {
  let t: number
  mixed[a] = (mixed[a]! + mixed[b]!) | 0
  t = mixed[d]! ^ mixed[a]!
  mixed[d] = (t << 16) | (t >>> 16)
  mixed[c] = (mixed[c]! + mixed[d]!) | 0
  t = mixed[b]! ^ mixed[c]!
  mixed[b] = (t << 12) | (t >>> 20)
  mixed[a] = (mixed[a]! + mixed[b]!) | 0
  t = mixed[d]! ^ mixed[a]!
  mixed[d] = (t << 8) | (t >>> 24)
  mixed[c] = (mixed[c]! + mixed[d]!) | 0
  t = mixed[b]! ^ mixed[c]!
  mixed[b] = (t << 7) | (t >>> 25)
}

/** ChaCha12 with feed-forward, in place on `state`. */
function permute(): void {
  mixed.set(state)
  for (let round = 0; round < 6; round++) {
    quarterRound(0, 4, 8, 12)
    quarterRound(1, 5, 9, 13)
    quarterRound(2, 6, 10, 14)
    quarterRound(3, 7, 11, 15)
    quarterRound(0, 5, 10, 15)
    quarterRound(1, 6, 11, 12)
    quarterRound(2, 7, 8, 13)
    quarterRound(3, 4, 9, 14)
  }
  for (let i = 0; i < 16; i++) state[i] = (state[i]! + mixed[i]!) | 0
}

/** Seeds `state` from the key; `domain` keeps the table (0) and the units (1) apart. */
function seed(key: PowKey, index: number, steps: number, domain: number): void {
  state[0] = 0x61707865
  state[1] = 0x3320646e
  state[2] = 0x79622d32
  state[3] = 0x6b206574
  state.set(key, 4)
  state[12] = index
  state[13] = steps
  state[14] = 0x32337363
  state[15] = domain
  permute()
}

/** Fills the base table from the key. Once per challenge, before its first unit. */
export function prepare(key: PowKey, steps: number): void {
  seed(key, 0, steps, 0)
  let f0 = state[0]!
  let f1 = state[1]!
  let f2 = state[2]!
  let f3 = state[3]!
  let c0 = state[4]!
  let c1 = state[5]!
  let c2 = state[6]!
  let c3 = state[7]!
  let next: number
  for (let j = 0; j < WORDS; j += 4) {
    next = (imul(f0, GENERATOR) + c0) | 0
    c0 = ((c0 << 13) | (c0 >>> 19)) ^ f0
    base[j] = f0 = next
    next = (imul(f1, GENERATOR) + c1) | 0
    c1 = ((c1 << 13) | (c1 >>> 19)) ^ f1
    base[j + 1] = f1 = next
    next = (imul(f2, GENERATOR) + c2) | 0
    c2 = ((c2 << 13) | (c2 >>> 19)) ^ f2
    base[j + 2] = f2 = next
    next = (imul(f3, GENERATOR) + c3) | 0
    c3 = ((c3 << 13) | (c3 >>> 19)) ^ f3
    base[j + 3] = f3 = next
  }
}

/**
 * Runs one unit. The key and the steps must be those of the last `prepare`.
 *
 * @param index 0 to 2³²−1.
 * @returns the unit's output, an unsigned 32-bit number.
 */
export function unit(key: PowKey, index: number, steps: number): number {
  table.set(base)
  seed(key, index, steps, 1)
  let a0 = state[8]!
  let a1 = state[9]!
  let a2 = state[10]!
  let a3 = state[11]!
  for (let step = 0; step < steps; step++) {
    const j0 = a0 >>> 16
    const j1 = a1 >>> 16
    const j2 = a2 >>> 16
    const j3 = a3 >>> 16
    const v0 = table[j0]!
    const w0 = table[j0 ^ 8]!
    const v1 = table[j1]!
    const w1 = table[j1 ^ 8]!
    const v2 = table[j2]!
    const w2 = table[j2 ^ 8]!
    const v3 = table[j3]!
    const w3 = table[j3 ^ 8]!
    a0 = (imul(a0 ^ v0, 0x9e3779b1) + w0) | 0
    a1 = (imul(a1 ^ v1, 0x85ebca77) + w1) | 0
    a2 = (imul(a2 ^ v2, 0xc2b2ae3d) + w2) | 0
    a3 = (imul(a3 ^ v3, 0x27d4eb2f) + w3) | 0
    table[j0] = ((a0 << 13) | (a0 >>> 19)) ^ w0
    table[j0 ^ 8] = (v0 + a1) | 0
    table[j1] = ((a1 << 13) | (a1 >>> 19)) ^ w1
    table[j1 ^ 8] = (v1 + a2) | 0
    table[j2] = ((a2 << 13) | (a2 >>> 19)) ^ w2
    table[j2 ^ 8] = (v2 + a3) | 0
    table[j3] = ((a3 << 13) | (a3 >>> 19)) ^ w3
    table[j3 ^ 8] = (v3 + a0) | 0
  }
  state[0] = state[0]! ^ a0
  state[1] = state[1]! ^ a1
  state[2] = state[2]! ^ a2
  state[3] = state[3]! ^ a3
  permute()
  return state[0] >>> 0
}
