/**
 * Says whom a rule on cadence would cost: synthetic people, slow ones among them, agents with the same hands, and recordings.
 *
 *     node lab/evaluate/hands/print-cadence.mjs [--people 10000] [--seed TEXT] [--traces DIR]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dice as diceOf } from '../person/dice.mjs'
import { readEvents } from '../person/read-mouse.mjs'
import { actsAndThinks, cadence, cadenceOf, slower, thinkingHand } from './cadence.mjs'
import { handOf } from './hand.mjs'

const SLOWER = [1, 2, 3, 5, 8]

const { people, seed, traces } = parseArgs({
  options: {
    people: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    traces: { type: 'string' },
  },
}).values

/** @param {(seed: string, dice: object) => object} hand @returns {{ bursts: number, quiet: number, wander: number }[]} */
const visits = (hand) =>
  Array.from({ length: Number(people) }, (_, i) => {
    const dice = diceOf(`cadence ${seed} ${i}`)
    return cadenceOf(hand(`${seed} ${i}`, dice), dice)
  })

const centiles = (values, digits) => {
  const sorted = values.toSorted((a, b) => a - b)
  return [0.1, 0.5, 0.9].map((share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(digits)).join(' / ')
}

/** Shares of silence from which on the rule would fire. */
const LEAST = [0.3, 0.5, 0.7]

function row(who, seen) {
  const each = (some) => ((1000 * some.length) / seen.length).toFixed(1)
  const fired = LEAST.map((least) => each(seen.filter((visit) => actsAndThinks(visit, least)))).join(' / ')
  const numbers = [
    centiles(
      seen.map(({ bursts }) => bursts),
      0,
    ),
    centiles(
      seen.map(({ quiet }) => quiet),
      2,
    ),
  ]
  return `| ${[who, seen.length, ...numbers, each(seen.filter(({ wander }) => wander === 0)), fired].join(' | ')} |`
}

/** The sessions of a folder of recordings (docs/design/evaluation.md, "Recorded hands"), each as a whole. */
const sessions = (folder) =>
  readdirSync(join(folder, 'mouse'))
    .filter((name) => name.endsWith('.csv'))
    .map((name) => cadence(readEvents(readFileSync(join(folder, 'mouse', name), 'utf8'))))

console.log(`| Visits | Number | \`bursts\` | \`quiet\` | no \`wander\` | ${LEAST.join(' / ')} quiet or more |`)
console.log('|---|---|---|---|---|---|')
for (const times of SLOWER) {
  const who = times === 1 ? 'people' : `people whose looks take ${times} times as long`
  console.log(
    row(
      who,
      visits((own) => slower(handOf(own), times)),
    ),
  )
}
for (const screenshot of [false, true]) {
  const who = screenshot ? 'the same, with a picture of the screen before each action' : 'agents with the same hands'
  console.log(
    row(
      who,
      visits((own, dice) => thinkingHand(handOf(own), dice, { screenshot })),
    ),
  )
}
if (traces) console.log(row('recorded sessions, another task', sessions(traces)))
