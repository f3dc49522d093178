/**
 * Prints how the figures of synthetic hands compare with those of recorded ones, as a table of Markdown:
 *
 *     node lab/evaluate/hands/fit.mjs [--traces DIR] [--json]
 *
 * With --traces, the recorded figures are measured again from the recordings in that folder. With --json, both are printed as
 * numbers.
 */
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { dice } from '../person/dice.mjs'
import { recordings } from '../person/recordings.mjs'
import { draws } from './draws.mjs'
import { handOf } from './hand.mjs'
import { byFrames, quantile, rhythmOf, shapeOf } from './measures.mjs'
import { RECORDED } from './recorded-figures.mjs'
import { SENTENCES } from './sentences.mjs'

const PEOPLE = 200
const REACHES = 32

/**
 * Measures people.
 *
 * @param {{ reaches: import('./reach.mjs').Reach[][], sentences: import('./typing.mjs').Stroke[][][] }} people each list by person
 * @returns {Record<keyof typeof RECORDED, [number, number, number]>} 10th, 50th and 90th centile
 */
export function figuresOf({ reaches, sentences }) {
  const all = reaches.flat()
  const shapes = all.map(shapeOf)
  const rhythms = sentences.map(rhythmOf)
  const centiles = (values) => [0.1, 0.5, 0.9].map((share) => quantile(values, share))
  return {
    distance: centiles(all.map(({ distance }) => distance)),
    duration: centiles(all.map(({ duration }) => duration)),
    settle: centiles(all.map(({ settle }) => settle)),
    held: centiles(all.map(({ held }) => held)),
    detour: centiles(shapes.map(({ detour }) => detour)),
    unevenness: centiles(shapes.map(({ unevenness }) => unevenness)),
    centre: centiles(shapes.map(({ centre }) => centre)),
    peaks: centiles(shapes.map(({ peaks }) => peaks)),
    rests: centiles(shapes.map(({ rests }) => rests)),
    keyHeld: centiles(rhythms.map(({ held }) => held)),
    keyGap: centiles(rhythms.map(({ gap }) => gap)),
    keyHeldSpread: centiles(rhythms.map(({ heldSpread }) => heldSpread)),
    keyGapSpread: centiles(rhythms.map(({ gapSpread }) => gapSpread)),
    overlaps: centiles(rhythms.map(({ overlaps }) => overlaps)),
    backspaces: centiles(rhythms.map(({ backspaces }) => backspaces)),
  }
}

/**
 * Draws people to measure: reaches of distances like the recorded ones, in all directions, as a page sees them, and every
 * sentence.
 */
export function syntheticPeople(seed = 'fit') {
  const hands = Array.from({ length: PEOPLE }, (_, i) => handOf(`${seed} ${i}`))
  const draw = draws(dice(seed))
  const reach = (hand) => {
    const distance = Math.min(1700, Math.max(60, draw.weibull(502, 1.75)))
    const angle = draw.between(0, 2 * Math.PI)
    const to = { x: 1000 + distance * Math.cos(angle), y: 1000 + distance * Math.sin(angle) }
    return byFrames(hand.reach({ x: 1000, y: 1000 }, to))
  }
  return {
    reaches: hands.map((hand) => Array.from({ length: REACHES }, () => reach(hand)).filter(isReach)),
    sentences: hands.map((hand) => SENTENCES.map((sentence) => hand.type(sentence))),
  }
}

/** Reaches that the reader of recordings takes, too (person/read-mouse.mjs). */
const isReach = ({ points, duration }) => points.length >= 8 && duration >= 150 && duration <= 2500

const NAMES = {
  distance: 'distance of a reach, px (given, not modelled)',
  duration: 'duration of a reach, ms',
  settle: 'last move to press, ms',
  held: 'press held, ms',
  detour: 'way over straight distance',
  unevenness: 'speed: standard deviation over mean',
  centre: 'mean time of the way, 0 start to 1 end',
  peaks: 'peaks of the speed',
  rests: 'rests of more than 45 ms in a reach',
  keyHeld: 'key held, ms, personal medians',
  keyGap: 'key to key, ms, personal medians',
  keyHeldSpread: 'key held: quartile distance over median',
  keyGapSpread: 'key to key: quartile distance over median',
  overlaps: 'share of keys that overlap the one before',
  backspaces: 'share of keys that are Backspace',
}

/** Writes figures as the page has them. @returns {string} a table of Markdown */
export function fitTable(recorded, synthetic) {
  const row = (name) =>
    `| ${NAMES[name]} | ${[recorded, synthetic].map((of) => of[name].map(short).join(' / ')).join(' | ')} |`
  return ['| Figure | Recorded | Synthetic |', '|---|---|---|', ...Object.keys(NAMES).map(row)].join('\n')
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
