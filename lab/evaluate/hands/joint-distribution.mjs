/**
 * Measures how well a test of the joint distribution of a visit's numbers tells forged summaries from people: whether
 * numbers that are each plausible are plausible together.
 *
 *     node lab/evaluate/hands/joint-distribution.mjs [people]
 *
 * The test is the distance of Mahalanobis from synthetic people, with a limit that one in a thousand of other synthetic
 * people is beyond. docs/design/risk.md, "Plausible together", has what came of it.
 */
import { mouseUser } from '../../attackers/forge.mjs'
import { summaries } from './summary.mjs'

/** Milliseconds that half a step of rounding may hide. */
const HALF_STEP = 2.5
const { log, sqrt } = Math

/** Numbers of a visit; the first group is that of a person, the others that of the form too. */
const GROUPS = {
  typing: ({ input: i }) => [
    log(i.keyHold),
    log(i.keyGap),
    log((i.keyHoldSpread + HALF_STEP) / i.keyHold),
    log((i.keyGapSpread + HALF_STEP) / i.keyGap),
    log(i.keyGapLong / i.keyGap),
    sqrt((i.overlaps ?? 0) / i.timedKeys),
  ],
  'keys and time of the form': ({ input: i, page }) => [
    log(i.keyGap),
    log(page.filling / (i.keys * i.keyGap)),
    log(i.keys),
  ],
  'pointer and time of the form': ({ input: i, page }) => [
    log(i.moves / i.presses),
    (i.coalesced ?? 0) / i.moves,
    log(i.pressHold),
    log(((i.pressHoldSpread ?? 0) + HALF_STEP) / i.pressHold),
    log(i.rawRatio ?? 100),
    log(i.moveGap),
    log(page.filling / i.moves),
  ],
}

function inverse(matrix) {
  const n = matrix.length
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => Number(i === j))])
  for (let i = 0; i < n; i++) {
    const pivot = rows.findIndex(
      (row, k) => k >= i && Math.abs(row[i]) === Math.max(...rows.slice(i).map((r) => Math.abs(r[i]))),
    )
    ;[rows[i], rows[pivot]] = [rows[pivot], rows[i]]
    const lead = rows[i][i]
    rows[i] = rows[i].map((x) => x / lead)
    for (let k = 0; k < n; k++) {
      if (k === i) continue
      const factor = rows[k][i]
      rows[k] = rows[k].map((x, j) => x - factor * rows[i][j])
    }
  }
  return rows.map((row) => row.slice(n))
}

/** Distance of a row from the middle of others, in their own spread. */
function distanceFrom(others) {
  const size = others[0].length
  const mean = Array.from({ length: size }, (_, i) => others.reduce((sum, row) => sum + row[i], 0) / others.length)
  const off = (row) => row.map((x, i) => x - mean[i])
  const covariance = mean.map((_, i) =>
    mean.map((__, j) => others.reduce((sum, row) => sum + off(row)[i] * off(row)[j], 0) / (others.length - 1)),
  )
  const precision = inverse(covariance)
  return (row) => {
    const d = off(row)
    return d.reduce((sum, x, i) => sum + x * d.reduce((inner, y, j) => inner + precision[i][j] * y, 0), 0)
  }
}

const isWhole = (row) => row.every(Number.isFinite)

async function main() {
  const count = Number(process.argv[2] ?? 4000)
  if (!Number.isInteger(count) || count < 2000) throw new TypeError('people wants a whole number from 2000 on')
  const of = await summaries()
  const people = Array.from({ length: count }, (_, i) => of.ofPerson(`joint ${i}`, { manner: 'mouse' }))
  const forged = Array.from({ length: 2000 }, (_, i) => mouseUser({ n: 18_432 }, 5000 + (i % 5) * 4000))
  for (const [name, numbersOf] of Object.entries(GROUPS)) {
    const rows = people.map(numbersOf).filter(isWhole)
    const half = Math.floor(rows.length / 2)
    const distance = distanceFrom(rows.slice(0, half))
    const held = rows
      .slice(half)
      .map(distance)
      .sort((a, b) => a - b)
    const limit = held[Math.floor(held.length * 0.999)]
    const shown = forged.map(numbersOf).filter(isWhole)
    const beyond = shown.filter((row) => distance(row) > limit).length
    const share = ((beyond / shown.length) * 100).toFixed(1)
    console.log(`${name}: beyond the limit of 1 in 1,000 people are ${share} % of ${shown.length} forged summaries`)
  }
}

await main().catch((error) => {
  console.error(error.message)
  process.exitCode = 2
})
