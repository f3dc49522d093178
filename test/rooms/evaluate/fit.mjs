/**
 * Prints how the figures of synthetic hands compare with those of recorded ones, as a table of Markdown:
 *
 *     node test/rooms/evaluate/fit.mjs [--traces DIR] [--json]
 *
 * With --traces, the recorded figures are measured again from the recordings in that folder. With --json, both are printed as
 * numbers.
 */
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { dice } from '../../../lab/evaluate/person/dice.mjs'
import { recordings } from '../../../lab/evaluate/person/recordings.mjs'
import { draws } from '../../../lab/evaluate/hands/draws.mjs'
import { handOf } from '../../../lab/evaluate/hands/hand.mjs'
import { byFrames, quantile, rhythmOf, shapeOf } from './measures.mjs'
import { RECORDED } from './recorded-figures.mjs'
import { SENTENCES } from '../../../lab/evaluate/hands/sentences.mjs'

const PEOPLE = 200
const REACHES = 32

const reach = (about, of) => ({ about, of: ({ reaches }) => reaches.map(of) })
const shape = (about, name) => ({ about, of: ({ shapes }) => shapes.map((each) => each[name]) })
const rhythm = (about, name) => ({ about, of: ({ rhythms }) => rhythms.map((each) => each[name]) })

const FIGURES = {
  distance: reach('distance of a reach, px (given, not modelled)', ({ distance }) => distance),
  duration: reach('duration of a reach, ms', ({ duration }) => duration),
  settle: reach('last move to press, ms', ({ settle }) => settle),
  held: reach('press held, ms', ({ held }) => held),
  detour: shape('way over straight distance', 'detour'),
  unevenness: shape('speed: standard deviation over mean', 'unevenness'),
  centre: shape('mean time of the way, 0 start to 1 end', 'centre'),
  peaks: shape('peaks of the speed', 'peaks'),
  rests: shape('rests of more than 45 ms in a reach', 'rests'),
  keyHeld: rhythm('key held, ms, personal medians', 'held'),
  keyGap: rhythm('key to key, ms, personal medians', 'gap'),
  keyHeldSpread: rhythm('key held: quartile distance over median', 'heldSpread'),
  keyGapSpread: rhythm('key to key: quartile distance over median', 'gapSpread'),
  overlaps: rhythm('share of keys that overlap the one before', 'overlaps'),
  backspaces: rhythm('share of keys that are Backspace', 'backspaces'),
}

/**
 * Measures people.
 *
 * @param {{ reaches: import('../../../lab/evaluate/hands/reach.mjs').Reach[][], sentences: import('../../../lab/evaluate/hands/typing.mjs').Stroke[][][] }} people each list by person
 * @returns {Record<keyof typeof RECORDED, [number, number, number]>} 10th, 50th and 90th centile
 */
function figuresOf({ reaches, sentences }) {
  const all = reaches.flat()
  const seen = { reaches: all, shapes: all.map(shapeOf), rhythms: sentences.map(rhythmOf) }
  const centiles = (values) => [0.1, 0.5, 0.9].map((share) => quantile(values, share))
  return Object.fromEntries(Object.entries(FIGURES).map(([name, { of }]) => [name, centiles(of(seen))]))
}

/**
 * Draws people to measure: reaches of distances like the recorded ones, in all directions, as a page sees them, and every
 * sentence.
 */
function syntheticPeople(seed = 'fit') {
  const hands = Array.from({ length: PEOPLE }, (_, i) => handOf(`${seed} ${i}`))
  const draw = draws(dice(seed))
  const reachOf = (hand) => {
    const distance = Math.min(1700, Math.max(60, draw.weibull(502, 1.75)))
    const angle = draw.between(0, 2 * Math.PI)
    const to = { x: 1000 + distance * Math.cos(angle), y: 1000 + distance * Math.sin(angle) }
    return byFrames(hand.reach({ x: 1000, y: 1000 }, to))
  }
  return {
    reaches: hands.map((hand) => Array.from({ length: REACHES }, () => reachOf(hand)).filter(isReach)),
    sentences: hands.map((hand) => SENTENCES.map((sentence) => hand.type(sentence))),
  }
}

/** Reaches that the reader of recordings takes, too (person/read-mouse.mjs). */
const isReach = ({ points, duration }) => points.length >= 8 && duration >= 150 && duration <= 2500

/** Writes figures as the page has them. @returns {string} a table of Markdown */
export function fitTable(recorded, synthetic) {
  const row = ([name, { about }]) =>
    `| ${about} | ${[recorded, synthetic].map((of) => of[name].map(short).join(' / ')).join(' | ')} |`
  return ['| Figure | Recorded | Synthetic |', '|---|---|---|', ...Object.entries(FIGURES).map(row)].join('\n')
}

const short = (n) => (n >= 10 || Number.isInteger(n) ? String(Math.round(n)) : n.toFixed(2))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { traces, json } = parseArgs({ options: { traces: { type: 'string' }, json: { type: 'boolean' } } }).values
  const people = traces && recordings(traces)
  const recorded = people && {
    reaches: people.mice.map(({ reaches }) => reaches),
    sentences: people.typists.map(({ sentences }) => sentences),
  }
  const [first, second] = [recorded ? figuresOf(recorded) : RECORDED, figuresOf(syntheticPeople())]
  console.log(json ? JSON.stringify({ recorded: first, synthetic: second }) : fitTable(first, second))
}
