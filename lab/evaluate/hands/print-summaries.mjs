/**
 * Prints summaries of synthetic people, one line of JSON for each visit:
 *
 *     node lab/evaluate/hands/print-summaries.mjs --people 10000 [--seed TEXT] [--visits N] [--manner mouse|tab|keyboard] [--system Linux]
 */
import { parseArgs } from 'node:util'
import { summaries } from './summary.mjs'

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '10' },
    visits: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    manner: { type: 'string' },
    system: { type: 'string' },
  },
})

const whole = (name, most) => {
  const n = Number(values[name])
  if (Number.isInteger(n) && n >= 1 && n <= most) return n
  throw new TypeError(`--${name} wants a whole number from 1 to ${most}; got ${values[name]}`)
}
const oneOf = (name, all) => {
  if (values[name] === undefined || all.includes(values[name])) return values[name]
  throw new TypeError(`--${name} wants one of ${all.join(', ')}; got ${values[name]}`)
}

/** Lines to a write: a pipe takes some tens of kilobytes at once. */
const LINES = 50

async function main() {
  const [people, visits] = [whole('people', 1_000_000), whole('visits', 1000)]
  const how = {
    manner: oneOf('manner', ['mouse', 'tab', 'keyboard']),
    system: oneOf('system', ['Windows', 'macOS', 'Linux']),
  }
  const of = await summaries()
  let lines = []
  for (let person = 0; person < people; person++)
    for (let visit = 0; visit < visits; visit++) {
      lines.push(`${JSON.stringify(of.ofPerson(`${values.seed} ${person}`, { ...how, visit }))}\n`)
      const isLast = person === people - 1 && visit === visits - 1
      if (lines.length < LINES && !isLast) continue
      const isRoom = process.stdout.write(lines.join(''))
      lines = []
      if (!isRoom && !isLast) await new Promise((resolve) => process.stdout.once('drain', resolve))
    }
}

await main().catch((error) => {
  console.error(error.message)
  process.exitCode = 2
})
