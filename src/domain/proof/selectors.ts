import type { Dice } from './dice.ts'
import type { ProofTask } from './task.ts'

interface Element {
  readonly parent: number
  readonly tag: string
  readonly classes: readonly string[]
  readonly key: string
}

/** A selector: the elements it means, the one at an index as 2 to the power of it; and how it is written. */
interface Meant {
  readonly mask: number
  readonly text: string
}

const maskOf = (tree: readonly Element[], matches: (element: Element, index: number) => boolean): number => {
  let mask = 0
  for (let index = 0; index < tree.length; index++) if (matches(tree[index]!, index)) mask |= 1 << index
  return mask
}

const TAGS = ['b', 'i', 's', 'u'] as const
const CLASSES = ['k', 'm', 'n', 'p'] as const
const KEYS = ['ab', 'ba', 'ac', 'cab', ''] as const
const COUNT = 8

/**
 * Which elements of a small tree selectors match: combinators, places counted from either end, of a type, attributes,
 * lists. Selectors 4, 13 to 16.
 *
 * Why an engine: DOM simulators can do it too; it costs a program that has no DOM at all.
 * Who could be hurt: a browser before 2020 has no `:is`. `:has` and `:nth-child(… of …)` came in 2023 and wait for a
 * version of the proof that may ask for them. Lower case only: a page in quirks mode ignores the case of classes.
 */
export function selectorTask(dice: Dice): ProofTask {
  const tree: Element[] = dice.times(COUNT, (index) => ({
    parent: index === 0 ? -1 : dice.below(Math.min(index, 4)),
    tag: dice.pick(TAGS),
    classes: CLASSES.filter(() => dice.below(3) === 0),
    key: dice.pick(KEYS),
  }))
  const selectors = [complex(tree, dice), list(tree, dice), complex(tree, dice)]

  return {
    expected: selectors.map(({ mask }) => mask),
    put: () => [
      'query',
      tree.map(({ parent, tag, classes, key }) => [parent, `${[tag, ...classes].join('.')}|${key}`] as const),
      selectors.map(({ text }) => text),
    ],
  }
}

function complex(tree: readonly Element[], dice: Dice): Meant {
  const [left, right] = [compound(tree, dice), compound(tree, dice)]
  const combinator = dice.pick(COMBINATORS)
  return {
    mask: maskOf(
      tree,
      (_, index) => (right.mask & (1 << index)) !== 0 && (RELATIVES[combinator](tree, index) & left.mask) !== 0,
    ),
    text: `${left.text}${combinator}${right.text}`,
  }
}

const COMBINATORS = [' ', '>', '+', '~'] as const

/** The elements one of which has to match what stands left of the combinator, as a mask. */
const RELATIVES: Record<(typeof COMBINATORS)[number], (tree: readonly Element[], index: number) => number> = {
  ' '(tree, index) {
    let mask = 0
    for (let at = tree[index]!.parent; at >= 0; at = tree[at]!.parent) mask |= 1 << at
    return mask
  },
  '>'(tree, index) {
    const { parent } = tree[index]!
    return parent < 0 ? 0 : 1 << parent
  },
  '+'(tree, index) {
    for (let other = index - 1; other >= 0; other--) if (tree[other]!.parent === tree[index]!.parent) return 1 << other
    return 0
  },
  '~'(tree, index) {
    let mask = 0
    for (let other = 0; other < index; other++) if (tree[other]!.parent === tree[index]!.parent) mask |= 1 << other
    return mask
  },
}

function list(tree: readonly Element[], dice: Dice): Meant {
  const [one, other, but] = [compound(tree, dice), compound(tree, dice), simple(tree, dice)]
  const either = one.mask | other.mask
  if (dice.below(2)) return { mask: either, text: `${one.text},${other.text}` }
  return { mask: either & ~but.mask, text: `:is(${one.text},${other.text}):not(${but.text})` }
}

function compound(tree: readonly Element[], dice: Dice): Meant {
  let { mask, text } = simple(tree, dice)
  if (dice.below(3) === 0) {
    const more = simple(tree, dice)
    mask &= more.mask
    text += more.text
  }
  const tag = dice.pick(TAGS)
  if (dice.below(3) > 0) return { mask, text }
  return { mask: mask & maskOf(tree, (element) => element.tag === tag), text: tag + text }
}

/** One condition that may follow another. */
function simple(tree: readonly Element[], dice: Dice): Meant {
  switch (dice.below(6)) {
    case 0: {
      const name = dice.pick(CLASSES)
      return { mask: maskOf(tree, ({ classes }) => classes.includes(name)), text: `.${name}` }
    }
    case 1: {
      const name = dice.pick(CLASSES)
      return { mask: maskOf(tree, ({ classes }) => !classes.includes(name)), text: `:not(.${name})` }
    }
    case 2:
      return attribute(tree, dice)
    case 3: {
      let parents = 0
      for (const { parent } of tree) if (parent >= 0) parents |= 1 << parent
      const isEmpty = dice.below(2) === 1
      return isEmpty
        ? { mask: maskOf(tree, (_, index) => (parents & (1 << index)) === 0), text: ':empty' }
        : { mask: parents, text: ':not(:empty)' }
    }
    default:
      return nth(tree, dice)
  }
}

const WANTED = ['a', 'b', 'ab', 'c'] as const
const OPERATORS = ['^=', '$=', '*=', '='] as const

function attribute(tree: readonly Element[], dice: Dice): Meant {
  const value = dice.pick(WANTED)
  const operator = dice.pick(OPERATORS)
  const holds = ({ key }: Element): boolean => {
    if (operator === '^=') return key.startsWith(value)
    if (operator === '$=') return key.endsWith(value)
    return operator === '*=' ? key.includes(value) : key === value
  }
  return { mask: maskOf(tree, holds), text: `[data-k${operator}${value}]` }
}

const STEPS = [0, 1, 2, 2, 3, -1] as const

/** `:nth-…(An+B)`: the place among all siblings, or those of the same type, from either end. */
function nth(tree: readonly Element[], dice: Dice): Meant {
  const ofType = dice.below(2) === 1
  const fromEnd = dice.below(2) === 1
  const a = dice.pick(STEPS)
  const b = dice.from(a < 0 ? 1 : 0, 3)
  const holds = ({ parent, tag }: Element, index: number): boolean => {
    let place = 1
    const [first, end] = fromEnd ? [index + 1, tree.length] : [0, index]
    for (let other = first; other < end; other++) {
      if (tree[other]!.parent === parent && (!ofType || tree[other]!.tag === tag)) place++
    }
    return a === 0 ? place === b : (place - b) % a === 0 && (place - b) / a >= 0
  }
  const formula = a === 0 ? String(b) : `${a}n+${b}`
  return {
    mask: maskOf(tree, holds),
    text: `:nth-${fromEnd ? 'last-' : ''}${ofType ? 'of-type' : 'child'}(${formula})`,
  }
}
