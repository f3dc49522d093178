/**
 * `s32.1`, the unit of work: a walk of dependent reads and writes through a private 128 KiB table.
 *
 * One source for both sides: the widget's worker computes units 0 … n−1, the server recomputes two of them.
 * 32-bit integer operations only; no WASM, no `eval`, no BigInt, nothing of Node or the browser.
 * Tables and state are module-level typed arrays on purpose: the JIT folds their base and bounds
 * (9 µs a unit in Node.js on a Zen 4 core). One challenge at a time per thread; both uses are synchronous.
 *
 * @see docs/design/work.md, "Units", and test/vectors/s32.json
 */

const WORDS = 32_768
const table = new Int32Array(WORDS)
const base = new Int32Array(WORDS)
const state = new Int32Array(16)
const mixed = new Int32Array(16)
const imul = Math.imul
const GENERATOR = 0x915f77f5

/**
 * Words of the table, and steps of a unit, in one call. V8 compiles a long loop while it runs and keeps that code, which was slower
 * in half of all processes: a unit took 1.4 times as long, and the table 1.6 or 2.7 times (Node.js 20). For a function that is
 * called often V8 makes the fast code each time. 1,024 are too many again.
 */
const AT_ONCE = 256

/** The key from which the outputs of a challenge are computed: SHA-256("hv-pow/s32" ‖ 0x00 ‖ challenge token), little-endian. */
export type PowKey = Int32Array

/** Maximum of tags or hits in a solution. */
export const SAMPLES = 512

/**
 * The largest output that counts as a hit: about 512 of n outputs do.
 * Up to 512 units every output is handed in, so every output counts.
 */
export function hitThreshold(n: number): number {
  return n <= SAMPLES ? 0xffffffff : Math.floor((2 ** 32 * SAMPLES) / n) - 1
}

/**
 * Upper bound of the unit indices of a solution. Hits are random: the 512th comes at n on average, with a deviation of
 * 4.4 %; half as much again is eleven deviations away.
 */
export function indexBound(n: number): number {
  return n <= SAMPLES ? n : Math.ceil(n * 1.5)
}

/** The 16 bits of an output that are handed in. */
export const tagOf = (output: number): number => output & 0xffff

function quarterRound(a: number, b: number, c: number, d: number): void {
  let t: number
  mixed[a]! += mixed[b]!
  t = mixed[d]! ^ mixed[a]!
  mixed[d] = (t << 16) | (t >>> 16)
  mixed[c]! += mixed[d]!
  t = mixed[b]! ^ mixed[c]!
  mixed[b] = (t << 12) | (t >>> 20)
  mixed[a]! += mixed[b]!
  t = mixed[d]! ^ mixed[a]!
  mixed[d] = (t << 8) | (t >>> 24)
  mixed[c]! += mixed[d]!
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
  for (let i = 0; i < 16; i++) state[i]! += mixed[i]!
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
  for (let from = 0; from < WORDS; from += AT_ONCE)
    for (let lane = 0; lane < 4; lane += 2) fill(from, lane)
}

/**
 * Goes on from two of the four generators in `state`, and leaves them there. For all four at once the JIT has too few
 * registers, and the table takes 8 % longer.
 */
function fill(from: number, lane: number): void {
  let f0 = state[lane]!
  let f1 = state[lane + 1]!
  let c0 = state[lane + 4]!
  let c1 = state[lane + 5]!
  let next: number
  for (let j = from + lane; j < from + AT_ONCE; j += 4) {
    next = (imul(f0, GENERATOR) + c0) | 0
    c0 = ((c0 << 13) | (c0 >>> 19)) ^ f0
    f0 = next
    base[j] = next
    next = (imul(f1, GENERATOR) + c1) | 0
    c1 = ((c1 << 13) | (c1 >>> 19)) ^ f1
    f1 = next
    base[j + 1] = next
  }
  state[lane] = f0
  state[lane + 1] = f1
  state[lane + 4] = c0
  state[lane + 5] = c1
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
  mixed.set(state.subarray(8))
  for (let left = steps; left > 0; left -= AT_ONCE) walk(Math.min(left, AT_ONCE))
  for (let i = 0; i < 4; i++) state[i]! ^= mixed[i]!
  permute()
  return state[0]! >>> 0
}

/** Goes on from the four lanes, the first words of `mixed`, and leaves them there. */
function walk(steps: number): void {
  let a0 = mixed[0]!
  let a1 = mixed[1]!
  let a2 = mixed[2]!
  let a3 = mixed[3]!
  for (let step = 0; step < steps; step++) {
    const j0 = a0 >>> 17
    const j1 = a1 >>> 17
    const j2 = a2 >>> 17
    const j3 = a3 >>> 17
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
  mixed[0] = a0
  mixed[1] = a1
  mixed[2] = a2
  mixed[3] = a3
}
