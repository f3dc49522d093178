import { dist } from '../stand/machine.mjs'

const { hitThreshold, prepare, SAMPLES, tagOf, unit } = await dist('work/s32.js')
const { STEPS } = await dist('work/pow.js')
const { pbUnit } = await dist('work/pb.js')
const { powKey } = await dist('work/solution.js')
const { spellSolution } = await dist('work/spell-solution.js')

/**
 * Does the work of a challenge, or the first part of it, with the service's own unit: a C program took as long
 * (docs/design/work.md, "Units"). `share`: 1/4 to 1.
 */
export async function solve(challenge, { a, n, s }, share = 1) {
  const key = powKey(challenge)
  const wanted = Math.ceil(Math.min(n, SAMPLES) * share)
  const threshold = hitThreshold(n)
  const samples = []
  if (a !== 'pb.1') prepare(key, s)
  for (let index = 0; samples.length < wanted; index++) {
    const out = a === 'pb.1' ? await pbUnit(key, index, s) : unit(key, index, s)
    if (out <= threshold) samples.push({ index, tag: tagOf(out) })
  }
  return spellSolution(n, samples)
}

/** A solution of the right shape and length whose tags are random: no work is in it. */
export function junk({ n }) {
  const wanted = Math.min(n, SAMPLES)
  const step = Math.max(1, Math.floor(n / wanted))
  const samples = Array.from({ length: wanted }, (_, i) => ({
    index: i * step,
    tag: Math.floor(Math.random() * 65_536),
  }))
  return spellSolution(n, samples)
}

/** Units that are measured together: 12 ms. */
const UNITS = 1600

/**
 * Measures one unit of `s32.1` here and now, so that prices of different machines can be compared: microseconds of
 * CPU time, the median of nine measurements.
 */
export function unitCost() {
  const times = []
  for (let round = 0; round < 10; round++) {
    const key = powKey(`reference ${round}`)
    prepare(key, STEPS)
    const from = process.cpuUsage()
    for (let index = 0; index < UNITS; index++) unit(key, index, STEPS)
    const { user, system } = process.cpuUsage(from)
    if (round > 0) times.push((user + system) / UNITS)
  }
  return times.sort((one, other) => one - other)[4]
}
