import type { Dice } from './dice.ts'
import type { ProofTask } from './task.ts'

interface Element {
  readonly parent: number
  readonly tag: string
  readonly classes: readonly string[]
  readonly key: string
}

/** Whether the element at an index is meant. */
type Matches = (index: number) => boolean
/** A selector: what it means, and how it is written. */
interface Meant {
  readonly matches: Matches
  readonly text: string
}

const TAGS = ['b', 'i', 's', 'u'] as const
const CLASSES = ['k', 'm', 'n', 'p'] as const
const KEYS = ['ab', 'ba', 'ac', 'cab', ''] as const
const COUNT = 8

/**
 * Which elements of a small tree selectors match: combinators, places counted from either end, of a type, attributes,
 * lists. Selectors 4, 13 to 16.
 *
 * Why an engine: DOM simulators can do it too; it costs whoever has no DOM at all.
 * Who could be hurt: a browser before 2020 has no `:is`. `:has` and `:nth-child(… of …)` came in 2023 and wait for a
 * version of the proof that may ask for them. Lower case only: a page in quirks mode ignores the case of classes.
 */
export function selectorTask(dice: Dice): ProofTask {
  const tree: Element[] = Array.from({ length: COUNT }, (_, index) => ({
    parent: index === 0 ? -1 : dice.below(Math.min(index, 4)),
    tag: dice.pick(TAGS),
    classes: CLASSES.filter(() => dice.below(3) === 0),
    key: dice.pick(KEYS),
  }))
  const selectors = [complex(tree, dice), list(tree, dice), complex(tree, dice)]

  return {
    expected: selectors.map(({ matches }) => tree.reduce((sum, _, i) => sum + (matches(i) ? 2 ** i : 0), 0)),
    put: () => [
      'query',
      tree.map(({ parent, tag, classes, key }) => [parent, `${[tag, ...classes].join('.')}|${key}`] as const),
      selectors.map(({ text }) => text),
    ],
  }
}

function complex(tree: readonly Element[], dice: Dice): Meant {
  const [left, right] = [compound(tree, dice), compound(tree, dice)]
  const combinator = dice.pick([' ', '>', '+', '~'] as const)
  const anyOf: Record<typeof combinator, (index: number) => readonly number[]> = {
    ' ': (index) => ancestors(tree, index),
    '>': (index) => (tree[index]!.parent < 0 ? [] : [tree[index]!.parent]),
    '+': (index) => earlier(tree, index).slice(-1),
    '~': (index) => earlier(tree, index),
  }
  return {
    matches: (index) => right.matches(index) && anyOf[combinator](index).some(left.matches),
    text: `${left.text}${combinator}${right.text}`,
  }
}

function list(tree: readonly Element[], dice: Dice): Meant {
  const [one, other, but] = [compound(tree, dice), compound(tree, dice), simple(tree, dice)]
  const either: Matches = (index) => one.matches(index) || other.matches(index)
  if (dice.below(2)) return { matches: either, text: `${one.text},${other.text}` }
  return {
    matches: (index) => either(index) && !but.matches(index),
    text: `:is(${one.text},${other.text}):not(${but.text})`,
  }
}

function compound(tree: readonly Element[], dice: Dice): Meant {
  const parts = [simple(tree, dice), ...(dice.below(3) ? [] : [simple(tree, dice)])]
  const tag = dice.pick(TAGS)
  if (dice.below(3) === 0) parts.unshift({ matches: (index) => tree[index]!.tag === tag, text: tag })
  return {
    matches: (index) => parts.every((part) => part.matches(index)),
    text: parts.map(({ text }) => text).join(''),
  }
}

/** One condition that may follow another. */
function simple(tree: readonly Element[], dice: Dice): Meant {
  switch (dice.below(6)) {
    case 0: {
      const name = dice.pick(CLASSES)
      return { matches: (index) => tree[index]!.classes.includes(name), text: `.${name}` }
    }
    case 1: {
      const name = dice.pick(CLASSES)
      return { matches: (index) => !tree[index]!.classes.includes(name), text: `:not(.${name})` }
    }
    case 2:
      return attribute(tree, dice)
    case 3: {
      const isEmpty: Matches = (index) => tree.every(({ parent }) => parent !== index)
      return dice.below(2)
        ? { matches: isEmpty, text: ':empty' }
        : { matches: (index) => !isEmpty(index), text: ':not(:empty)' }
    }
    default:
      return counted(tree, dice)
  }
}

function attribute(tree: readonly Element[], dice: Dice): Meant {
  const wanted = dice.pick(['a', 'b', 'ab', 'c'])
  const [operator, holds] = dice.pick([
    ['^=', (key: string) => key.startsWith(wanted)],
    ['$=', (key: string) => key.endsWith(wanted)],
    ['*=', (key: string) => key.includes(wanted)],
    ['=', (key: string) => key === wanted],
  ] as const)
  return { matches: (index) => holds(tree[index]!.key), text: `[data-k${operator}${wanted}]` }
}

/** `:nth-…(An+B)`: the place among all siblings, or those of the same type, from either end. */
function counted(tree: readonly Element[], dice: Dice): Meant {
  const ofType = dice.below(2) === 1
  const fromEnd = dice.below(2) === 1
  const a = dice.pick([0, 1, 2, 2, 3, -1])
  const b = dice.from(a < 0 ? 1 : 0, 3)
  return {
    matches(index) {
      const { parent, tag } = tree[index]!
      let place = 1
      for (let other = 0; other < tree.length; other++) {
        const isBefore = fromEnd ? other > index : other < index
        if (isBefore && tree[other]!.parent === parent && (!ofType || tree[other]!.tag === tag)) place++
      }
      return a === 0 ? place === b : (place - b) % a === 0 && (place - b) / a >= 0
    },
    text: `:nth-${fromEnd ? 'last-' : ''}${ofType ? 'of-type' : 'child'}(${a === 0 ? b : `${a}n${b < 0 ? b : `+${b}`}`})`,
  }
}

/** Nearest first. */
function ancestors(tree: readonly Element[], index: number): number[] {
  const found: number[] = []
  for (let at = tree[index]!.parent; at >= 0; at = tree[at]!.parent) found.push(at)
  return found
}

/** Siblings before it, nearest last. */
function earlier(tree: readonly Element[], index: number): number[] {
  const found: number[] = []
  for (let other = 0; other < index; other++) if (tree[other]!.parent === tree[index]!.parent) found.push(other)
  return found
}
