import { clamp } from '../person/dice.mjs'
import { keyOf } from './us-keyboard.mjs'

/**
 * Draws how a person types a text: gaps and holds of a log-normal each, mistakes that are noticed and taken back with
 * Backspace, Shift for capitals, a pause at words. Roll-over comes of it: a key that is held for longer than the gap
 * overlaps with the next.
 *
 * @typedef {{ at: number, until: number, key: string, character?: string }} Stroke milliseconds from the first key; `key`: a
 *   character that needs no Shift, `Shift` or `BackSpace`; `character`: what it types, '\b' for Backspace, none for Shift
 * @returns {Stroke[]} in order of time; the text that comes of it is `text`
 */
export function drawTyping(traits, draw, text) {
  const strokes = []
  let at = 0
  let before
  for (const character of withMistakes(traits, draw, [...text])) {
    const { key, isShifted } = keyOf(character)
    if (before !== undefined) at += drawGap(traits, draw, before, character)
    if (isShifted) {
      const early = clamp(draw.logNormal(125, 0.5), 35, 450)
      strokes.push({ at, until: at + early + draw.logNormal(85, 0.35), key: 'Shift' })
      at += early
    }
    strokes.push({
      at,
      until: at + clamp(draw.logNormal(traits.held, traits.heldSpread), 25, 420),
      key,
      character,
    })
    before = character
  }
  return released(strokes, traits.oneFinger)
}

const BACKSPACE = '\b'

/** How much longer than inside a word a gap is, by what comes before and after. */
const KINDS = [
  { factor: () => 2.7, is: (before, after) => after === BACKSPACE && before !== BACKSPACE },
  { factor: () => 1, is: (_, after) => after === BACKSPACE },
  { factor: () => 1.75, is: (before) => before === BACKSPACE },
  { factor: () => 0.97, is: (_, after) => after === ' ' },
  { factor: ({ afterSpace }) => afterSpace, is: (before) => before === ' ' },
  {
    factor: ({ atMarks }) => atMarks,
    is: (before, after) => !/[a-z]/i.test(after) || !/[a-z]/i.test(before),
  },
  { factor: () => 1, is: (before, after) => before === after },
]
/** A pair of letters has a time of its own with each person: standard deviation of its logarithm. */
const PAIR_SPREAD = 0.28

function drawGap(traits, draw, before, after) {
  const kind = KINDS.find(({ is }) => is(before, after))
  const factor = kind
    ? kind.factor(traits)
    : Math.exp(PAIR_SPREAD * pairFactor(traits.habit, before, after))
  const gap = draw.logNormal(traits.gap * factor, traits.gapSpread)
  const thought = draw.chance(traits.thoughts) ? draw.logNormal(450, 0.8) : 0
  return clamp(gap, 18, 1500) + thought
}

/** About normal, and always the same for the same pair of the same person. */
function pairFactor(habit, before, after) {
  let mixed =
    Math.imul(habit ^ Math.imul(before.codePointAt(0), 0x9e3779b1), 0x85ebca6b) ^
    after.codePointAt(0)
  let sum = 0
  for (let i = 0; i < 4; i++) {
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
    mixed ^= mixed >>> 13
    sum += (mixed >>> 0) / 2 ** 32
  }
  return (sum - 2) * 1.7
}

const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

/** The characters as they are typed, with wrong ones and the Backspaces that take them back. */
function withMistakes({ mistakes }, draw, characters) {
  const typed = []
  for (const [i, character] of characters.entries()) {
    if (/[a-z]/.test(character) && draw.chance(mistakes)) {
      const wrong = [neighbour(character, draw)]
      // Some go on for a few letters before they see it.
      while (draw.chance(0.35) && wrong.length < 6 && i + wrong.length < characters.length) {
        const next = characters[i + wrong.length]
        if (!/[a-z ]/.test(next)) break
        wrong.push(next)
      }
      typed.push(...wrong, ...wrong.map(() => BACKSPACE))
    }
    typed.push(character)
  }
  return typed
}

function neighbour(letter, draw) {
  const row = ROWS.find((each) => each.includes(letter))
  const at = row.indexOf(letter)
  return row[at + (at === 0 || (at < row.length - 1 && draw.chance(0.5)) ? 1 : -1)]
}

/** A key has to come up before it can go down again, Shift before a character that does without, and with one finger each. */
export function released(strokes, oneFinger) {
  return strokes.map((stroke, i) => {
    const later = strokes.slice(i + 1)
    const again = later.find(({ key }) => key === stroke.key)?.at ?? Infinity
    const free = stroke.key === 'Shift' ? (strokes[i + 2]?.at ?? Infinity) : Infinity
    const next = oneFinger && stroke.key !== 'Shift' ? (later[0]?.at ?? Infinity) : Infinity
    const latest = Math.min(stroke.until, again - 12, free - 5, next - 8)
    return { ...stroke, until: Math.max(stroke.at + 10, latest) }
  })
}
