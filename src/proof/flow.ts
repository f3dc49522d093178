import type { Dice } from './dice.ts'
import type { Spelling } from './spelling.ts'
import type { BoxTask, ProofTask } from './task.ts'

/** The boxes of the task, as they were drawn. Lengths are pixels. */
type Boxes = ReturnType<typeof drawBoxes>

function drawBoxes(dice: Dice) {
  const width = 20 * dice.from(12, 24)
  const first = {
    width: dice.from(60, 200),
    height: dice.from(24, 50),
    padding: dice.from(2, 11),
    border: dice.below(2) === 1,
    after: dice.from(-9, 26),
  }
  const wrapper = { before: dice.from(-9, 30) }
  const inner = {
    before: dice.from(-9, 30),
    height: dice.from(12, 50),
    left: dice.from(3, 40),
    right: dice.from(3, 40),
  }
  const float = {
    left: dice.below(2) === 1,
    width: dice.from(30, 90),
    height: dice.from(20, 90),
    gap: dice.from(1, 20),
  }
  const beside = { height: dice.from(10, 90) }
  const last = {
    clear: dice.pick(['both', 'left', 'right', 'none'] as const),
    width: 2 * dice.from(20, 100),
    height: dice.from(5, 40),
    at: dice.pick(['start', 'end', 'middle'] as const),
  }
  return { width, first, wrapper, inner, float, beside, last }
}

/**
 * Block flow: margins that collapse through a box (negative ones too), a float, a box that establishes a formatting
 * context beside it, clearance, both box models. CSS 2.2, 8.3.1, 9.4.1, 9.5.
 *
 * Why only an engine: nothing on npm collapses margins or places floats; libraries for flexbox do not.
 * People who could be hurt: none known; these rules are those of 1998 in every engine.
 * No clearance meets a margin and no float follows an open margin: there the engines' histories differ.
 */
export function flowTask(dice: Dice): ProofTask {
  const boxes = drawBoxes(dice)
  return {
    expected: rectsOf(boxes),
    put: (spelling) => ['box', stylesOf(boxes, spelling), [1, 3, 5, 6]],
  }
}

/** Returns x, y, width and height of each box that is asked for. */
function rectsOf({ width, first, wrapper, inner, float, beside, last }: Boxes): number[] {
  const firstBox = firstBoxOf(first)
  const innerY = firstBox[3] + collapsed([first.after, wrapper.before, inner.before])
  const floatY = innerY + inner.height
  const besideWidth = width - float.width - float.gap
  const clears = last.clear === 'both' || last.clear === (float.left ? 'left' : 'right')
  const besideEnd = floatY + beside.height
  const free = width - last.width
  const lastX = { start: 0, end: free, middle: free / 2 }[last.at]
  return [
    ...firstBox,
    inner.left,
    innerY,
    width - inner.left - inner.right,
    inner.height,
    float.left ? float.width + float.gap : 0,
    floatY,
    besideWidth,
    beside.height,
    lastX,
    clears ? Math.max(besideEnd, floatY + float.height) : besideEnd,
    last.width,
    last.height,
  ]
}

/** The size of the first box includes its padding (`border-box`), or does not. */
function firstBoxOf({ width, height, padding, border }: Boxes['first']) {
  const both = 2 * padding
  return border
    ? ([0, 0, Math.max(width, both), Math.max(height, both)] as const)
    : ([0, 0, width + both, height + both] as const)
}

const MARGIN_OF_LAST = { start: '', end: 'margin-left:auto', middle: 'margin:0 auto' } as const

function stylesOf(
  { width, first, wrapper, inner, float, beside, last }: Boxes,
  { length, style, scope }: Spelling,
): BoxTask[1] {
  return [
    [-1, style('display:flow-root', scope, `width:${length(width)}`)],
    [
      0,
      style(
        first.border ? 'box-sizing:border-box' : '',
        `width:${length(first.width, width)}`,
        `height:${length(first.height)}`,
        `padding:${length(first.padding, width)}`,
        `margin-bottom:${length(first.after, width)}`,
      ),
    ],
    [0, `margin-top:${length(wrapper.before, width)}`],
    [
      2,
      style(
        `margin:${inner.before}px ${length(inner.right, width)} 0 ${length(inner.left, width)}`,
        `height:${length(inner.height)}`,
      ),
    ],
    [
      0,
      style(
        `float:${float.left ? 'left' : 'right'}`,
        `margin-${float.left ? 'right' : 'left'}:${length(float.gap, width)}`,
        `width:${length(float.width, width)}`,
        `height:${length(float.height)}`,
      ),
    ],
    [0, style('display:flow-root', `height:${length(beside.height)}`)],
    [
      0,
      style(
        `clear:${last.clear}`,
        `width:${length(last.width, width)}`,
        `height:${length(last.height)}`,
        MARGIN_OF_LAST[last.at],
      ),
    ],
  ]
}

/** CSS 2.2, 8.3.1: the largest positive and the most negative, added. */
const collapsed = (margins: readonly number[]): number =>
  Math.max(0, ...margins) + Math.min(0, ...margins)
