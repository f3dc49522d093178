import type { Dice } from './dice.ts'
import type { ProofTask, Rect } from './task.ts'

type Align = 'flex-start' | 'flex-end' | 'center' | 'stretch'

interface Item {
  readonly order: number
  readonly before: number
  readonly after: number
  readonly cross: number
  readonly align: Align
  /** flex-basis. */
  readonly basis: number
  readonly grow: number
  readonly shrink: number
  /** Where it ends up along the main axis. */
  readonly final: number
  /** The bound that holds it there. */
  readonly bound: 'min' | 'max' | undefined
}

/**
 * One flex line: free space shared by `flex-grow`, or taken by `flex-shrink` in proportion to the basis, with one item
 * held by its largest or smallest size; `order`, reversed directions, right to left, alignment across.
 * CSS Flexible Box Layout 1, 9.7.
 *
 * Why only an engine: sharing runs again for the rest once an item is held. Libraries do this (Yoga, Taffy), so flex
 * alone would not do; they read neither `calc` nor `var`.
 * Who could be hurt: nobody known. Gaps are margins, because Safari had no `gap` in flex before 14.1.
 *
 * Made backwards: the share of one unit is chosen, so final sizes are whole, and the container is as wide as they are.
 */
export function flexTask(dice: Dice): ProofTask {
  const column = dice.below(3) === 0
  const reverse = dice.below(2) === 1
  const rtl = dice.below(2) === 1
  const cross = 2 * dice.from(40, 70)
  const items = dice.below(2) ? growing(dice, cross) : shrinking(dice, cross)
  const main = items.reduce((sum, { before, final, after }) => sum + before + final + after, 0)
  const mainFlipped = column ? reverse : reverse !== rtl
  const crossFlipped = column && rtl

  const rects: Rect[] = items.map(() => [0, 0, 0, 0])
  let at = 0
  for (const index of inOrder(items)) {
    const { before, after, final, cross: own, align } = items[index]!
    const start = mainFlipped ? main - at - before - final : at + before
    at += before + final + after
    const size = align === 'stretch' ? cross : own
    const offset = align === 'flex-end' ? cross - size : align === 'center' ? (cross - size) / 2 : 0
    const side = crossFlipped ? cross - offset - size : offset
    rects[index] = column ? [side, start, size, final] : [start, side, final, size]
  }
  const targets = dice.shuffled(INDICES).slice(0, 3)

  return {
    expected: targets.flatMap((index) => [...rects[index]!]),
    put({ length, style, scope, dice: how }) {
      const [mainName, crossName] = column ? ['height', 'width'] : ['width', 'height']
      const [ahead, behind] = column ? ['top', 'bottom'] : ['left', 'right']
      const container = style(
        'display:flex',
        scope,
        `flex-direction:${column ? 'column' : 'row'}${reverse ? '-reverse' : ''}`,
        rtl ? 'direction:rtl' : '',
        `${mainName}:${length(main)}`,
        `${crossName}:${length(cross)}`,
      )
      const boxes = items.map((box) => {
        const basis = length(box.basis, main)
        const [left, right] = mainFlipped ? [box.after, box.before] : [box.before, box.after]
        return style(
          how.below(2)
            ? `flex:${box.grow} ${box.shrink} ${basis}`
            : `flex-grow:${box.grow};flex-shrink:${box.shrink};flex-basis:${basis}`,
          box.bound ? `${box.bound}-${mainName}:${length(box.final, main)}` : '',
          box.order === 0 ? '' : `order:${box.order}`,
          left === 0 ? '' : `margin-${ahead}:${length(left)}`,
          right === 0 ? '' : `margin-${behind}:${length(right)}`,
          box.align === 'stretch' ? '' : `align-self:${box.align};${crossName}:${length(box.cross, cross)}`,
        )
      })
      return ['box', [[-1, container], ...boxes.map((box) => [0, box] as const)], targets.map((index) => index + 1)]
    },
  }
}

const INDICES = [0, 1, 2, 3] as const
const ORDERS = [-1, 0, 1, 2] as const
const ALIGNS = ['flex-start', 'flex-end', 'center', 'stretch'] as const
const THROWN_ORDERS = [0, 0, 0, 1, 2, -1] as const

/** `order` first, then as written. */
const inOrder = (items: readonly Item[]): number[] =>
  ORDERS.flatMap((order) => INDICES.filter((index) => items[index]!.order === order))

type Sharing = Pick<Item, 'basis' | 'grow' | 'shrink' | 'final' | 'bound'>

/** Properties that all items have, however they share. */
function item(dice: Dice, cross: number, { basis, grow, shrink, final, bound }: Sharing): Item {
  // Written out: a spread costs a microsecond for each item.
  return {
    order: dice.pick(THROWN_ORDERS),
    before: dice.below(3) ? 0 : dice.from(1, 20),
    after: dice.below(3) ? 0 : dice.from(1, 20),
    cross: 2 * dice.from(4, cross / 2 - 1),
    align: dice.pick(ALIGNS),
    basis,
    grow,
    shrink,
    final,
    bound,
  }
}

/** One unit of grow is so many pixels; the held item stays short of its share. */
function growing(dice: Dice, cross: number): Item[] {
  const share = dice.from(8, 24)
  const outlier = dice.below(4)
  return INDICES.map((index) => {
    const basis = dice.from(10, 60)
    const grow = dice.from(1, 3)
    const short = index === outlier ? dice.from(1, share * grow - 1) : 0
    const final = basis + share * grow - short
    return item(dice, cross, {
      basis,
      grow,
      shrink: dice.below(2),
      final,
      bound: index === outlier ? 'max' : undefined,
    })
  })
}

/** Each gives up twentieths of its basis, times its shrink; the held item gives up less than its share. */
function shrinking(dice: Dice, cross: number): Item[] {
  const twentieths = dice.from(1, 5)
  const outlier = dice.below(4)
  return INDICES.map((index) => {
    const basis = 20 * dice.from(3, 7)
    const shrink = dice.from(1, 2)
    const gives = (twentieths * shrink * basis) / 20
    const final = basis - gives + (index === outlier ? dice.from(1, gives - 1) : 0)
    return item(dice, cross, {
      basis,
      grow: dice.below(2),
      shrink,
      final,
      bound: index === outlier ? 'min' : undefined,
    })
  })
}
