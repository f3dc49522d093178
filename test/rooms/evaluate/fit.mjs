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
import { handOf } from '../../../lab/evaluate/hands/hand.mjs'
import { SENTENCES } from '../../../lab/evaluate/hands/sentences.mjs'
import { dice } from '../../../lab/evaluate/person/dice.mjs'
import { recordings } from '../../../lab/evaluate/person/recordings.mjs'
import { byFrames, quantile, rhythmOf, shapeOf } from './measures.mjs'

const PEOPLE = 200
const REACHES = 32

const reach = (of) => (people) => people.reaches.map(of)
const shape = (name) => (people) => people.reaches.map((each) => shapeOf(each)[name])
const rhythm = (name) => (people) => people.typists.map((each) => each[name])

/**
 * What is measured. `recorded`: 10th, 50th and 90th centile of 40 people with a mouse and 30 with a keyboard; docs/design/risk.md,
 * "Recorded hands", says who recorded them. `share`, `least`: how far a synthetic centile may be from it: a share of it, or so
 * much where that is more.
 */
export const FIGURES = {
  'distance of a reach, px (given, not modelled)': {
    of: reach(({ distance }) => distance),
    recorded: [181, 502, 1033],
  },
  'duration of a reach, ms': { of: reach(({ duration }) => duration), recorded: [378, 600, 902] },
  'last move to press, ms': { of: reach(({ settle }) => settle), recorded: [8, 59, 207], least: 4 },
  'press held, ms': { of: reach(({ held }) => held), recorded: [55, 75, 111] },
  'way over straight distance': { of: shape('detour'), recorded: [1.01, 1.09, 1.63], share: 0.12 },
  'speed: standard deviation over mean': { of: shape('unevenness'), recorded: [0.77, 1.19, 1.69], share: 0.1 },
  'mean time of the way, 0 start to 1 end': {
    of: shape('centre'),
    recorded: [0.22, 0.36, 0.51],
    share: 0.1,
    least: 0.03,
  },
  'peaks of the speed': { of: shape('peaks'), recorded: [1, 2, 3], share: 0, least: 1 },
  'rests of more than 45 ms in a reach': { of: shape('rests'), recorded: [0, 1, 3], share: 0, least: 1 },
  'key held, ms, personal medians': { of: rhythm('held'), recorded: [72, 104, 130], share: 0.1 },
  'key to key, ms, personal medians': { of: rhythm('gap'), recorded: [125, 172, 246], share: 0.13 },
  'key held: quartile distance over median': { of: rhythm('heldSpread'), recorded: [0.27, 0.34, 0.45], share: 0.15 },
  // The steadiest third of the people is drawn less steady, the most uneven tenth less uneven.
  'key to key: quartile distance over median': { of: rhythm('gapSpread'), recorded: [0.54, 0.74, 1.2], share: 0.3 },
  'share of keys that overlap the one before': {
    of: rhythm('overlaps'),
    recorded: [0.01, 0.16, 0.39],
    share: 0.15,
    least: 0.03,
  },
  'share of keys that are Backspace': {
    of: rhythm('backspaces'),
    recorded: [0.03, 0.04, 0.11],
    share: 0.15,
    least: 0.04,
  },
}

/** Measures people; each list of `reaches` and of `sentences` is a person's. @returns the three centiles of each figure */
function figuresOf({ reaches, sentences }) {
  const people = { reaches: reaches.flat(), typists: sentences.map(rhythmOf) }
  const centiles = (values) => [0.1, 0.5, 0.9].map((share) => quantile(values, share))
  return Object.values(FIGURES).map(({ of }) => centiles(of(people)))
}

/**
 * Draws people to measure: reaches of distances like the recorded ones, in all directions, as a page sees them, and every
 * sentence.
 */
function syntheticPeople(seed = 'fit') {
  const hands = Array.from({ length: PEOPLE }, (_, i) => handOf(`${seed} ${i}`))
  const draw = dice(seed)
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

const RECORDED = Object.values(FIGURES).map(({ recorded }) => recorded)

/** Writes figures as the page has them. @returns {string} a table of Markdown */
export function fitTable(recorded, synthetic) {
  const row = (about, i) =>
    `| ${about} | ${[recorded, synthetic].map((of) => of[i].map(short).join(' / ')).join(' | ')} |`
  return ['| Figure | Recorded | Synthetic |', '|---|---|---|', ...Object.keys(FIGURES).map(row)].join('\n')
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
