import type { Dice } from './dice.ts'
import type { ProofTask, Rect } from './task.ts'

type Point = readonly [x: number, y: number]
/** Turns (quarters), sizes and shifts, as a function of points. */
type Transform = (point: Point) => Point

/**
 * Absolute positions with two insets and auto margins, boxes inside turned and enlarged boxes, relative shifts.
 * CSS Positioned Layout 3, 4; CSS Transforms 1, 3.
 *
 * Why only an engine: `getBoundingClientRect` of a transformed box is the box around its corners, nested ones multiply.
 * Who could be hurt: nobody known. Quarter turns and whole factors only, so corners stay on whole pixels.
 */
export function placedTask(dice: Dice): ProofTask {
  const padding = dice.from(2, 20)
  const [width, height] = [20 * dice.from(10, 20), 20 * dice.from(8, 14)]
  // The containing block of what is placed absolutely is the padding box.
  const [areaWidth, areaHeight] = [width + 2 * padding, height + 2 * padding]
  const [left, bottom] = [dice.from(3, 50), dice.from(3, 40)]
  // Even sizes, or a middle is half a pixel.
  const right = 2 * dice.from(2, 25) + (left % 2)
  const sheet = { width: areaWidth - left - right, height: 2 * dice.from(30, 60) }
  const sheetY = areaHeight - bottom - sheet.height

  const card = { width: 2 * dice.from(14, 30), height: 2 * dice.from(14, 25) }
  const cardX = left + (sheet.width - card.width) / 2
  const cardY = sheetY + (sheet.height - card.height) / 2

  const quarters = dice.from(0, 3)
  const factor = dice.from(1, 3)
  const shift: Point = [dice.from(-30, 30), dice.from(-30, 30)]
  const origin = dice.pick(ORIGINS)
  const turnFirst = dice.below(2) === 1
  const pivot: Point = [cardX + origin.x * card.width, cardY + origin.y * card.height]
  const turn = turned(quarters)
  const grow: Transform = ([x, y]) => [x * factor, y * factor]
  const move: Transform = ([x, y]) => [x + shift[0], y + shift[1]]
  // `transform: a b` is a(b(point)).
  const whole: Transform = turnFirst ? (p) => turn(move(grow(p))) : (p) => move(grow(turn(p)))
  const transform: Transform = ([x, y]) => {
    const [tx, ty] = whole([x - pivot[0], y - pivot[1]])
    return [tx + pivot[0], ty + pivot[1]]
  }
  const chip = { left: dice.from(-12, 20), top: dice.from(-12, 20), width: dice.from(4, 14), height: dice.from(4, 14) }

  return {
    expected: [
      left,
      sheetY,
      sheet.width,
      sheet.height,
      ...around([cardX, cardY, card.width, card.height], transform),
      ...around([cardX + chip.left, cardY + chip.top, chip.width, chip.height], transform),
    ],
    put({ dice: how, length, style, scope }) {
      const parts = [
        `translate(${length(shift[0], card.width)},${length(shift[1], card.height)})`,
        how.below(2) ? `scale(${factor})` : `matrix(${factor},0,0,${factor},0,0)`,
      ]
      const rotation = how.pick(TURNS[quarters]!)
      const list = turnFirst ? [rotation, ...parts] : [...parts, rotation]
      return [
        'box',
        [
          [
            -1,
            style(
              'position:relative',
              scope,
              `width:${length(width)}`,
              `height:${length(height)}`,
              `padding:${length(padding)}`,
            ),
          ],
          [
            0,
            style(
              'position:absolute',
              `left:${length(left, areaWidth)}`,
              `right:${length(right, areaWidth)}`,
              `bottom:${length(bottom, areaHeight)}`,
              `height:${length(sheet.height, areaHeight)}`,
            ),
          ],
          [
            1,
            style(
              'position:absolute',
              'top:0',
              'right:0',
              'bottom:0',
              'left:0',
              'margin:auto',
              `width:${length(card.width, sheet.width)}`,
              `height:${length(card.height, sheet.height)}`,
              `transform:${list.join(' ')}`,
              `transform-origin:${origin.text}`,
            ),
          ],
          [
            2,
            style(
              'position:relative',
              `left:${length(chip.left, card.width)}`,
              `top:${length(chip.top, card.height)}`,
              `width:${length(chip.width, card.width)}`,
              `height:${length(chip.height, card.height)}`,
            ),
          ],
        ],
        [1, 2, 3],
      ]
    },
  }
}

const ORIGINS = [
  { text: '0 0', x: 0, y: 0 },
  { text: 'center', x: 0.5, y: 0.5 },
  { text: '100% 0', x: 1, y: 0 },
  { text: 'left bottom', x: 0, y: 1 },
  { text: 'bottom right', x: 1, y: 1 },
  { text: 'top', x: 0.5, y: 0 },
] as const

/** A quarter turn clockwise takes (x, y) to (−y, x): the y axis points down. */
function turned(quarters: number): Transform {
  return ([x, y]) => {
    let [a, b] = [x, y]
    for (let i = 0; i < quarters; i++) [a, b] = [-b, a]
    return [a, b]
  }
}

const TURNS = [
  ['rotate(0)', 'rotate(360deg)'],
  ['rotate(90deg)', 'rotate(.25turn)', 'rotate(-270deg)'],
  ['rotate(180deg)', 'rotate(.5turn)', 'scale(-1)'],
  ['rotate(270deg)', 'rotate(-90deg)', 'rotate(300grad)'],
] as const

/** The box around the corners of a transformed box. */
function around([x, y, width, height]: Rect, transform: Transform): Rect {
  const [ax, ay] = transform([x, y])
  const [bx, by] = transform([x + width, y + height])
  return [Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by)]
}
