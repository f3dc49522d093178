import type { Dice } from './dice.ts'
import type { ProofTask } from './task.ts'

/** Legs and hypotenuse in whole numbers; a leg of 0 is a straight line. */
const TRIPLES = [
  [3, 4, 5],
  [4, 3, 5],
  [5, 12, 13],
  [15, 8, 17],
  [0, 1, 1],
  [1, 0, 1],
] as const

/**
 * A drawn path: how long it is, where it is after so much of it, and the box of a group it stands in, enlarged and
 * turned. SVG 2, 9.5 (path data), 8.10 (boxes).
 *
 * Why only an engine: `getTotalLength`, `getPointAtLength` and `getBBox` are missing from DOM simulators.
 * People who could be hurt: none known; no privacy browser blurs them. Straight lines with whole lengths only, because
 * engines approximate curves each in their own way.
 */
export function pathTask(dice: Dice): ProofTask {
  const start = [dice.from(1, 60), dice.from(1, 60)] as const
  const steps = dice.times(dice.from(4, 6), () => {
    const [dx, dy, long] = dice.pick(TRIPLES)
    const times = dice.from(2, 6) * (long === 1 ? 4 : 1)
    return { dx, dy, long, times, signX: dice.pick([-1, 1]), signY: dice.pick([-1, 1]) }
  })
  const points: (readonly [number, number])[] = [start]
  for (const { dx, dy, times, signX, signY } of steps) {
    const [x, y] = points.at(-1)!
    points.push([x + dx * times * signX, y + dy * times * signY])
  }
  const total = steps.reduce((sum, { long, times }) => sum + long * times, 0)

  const stop = dice.below(steps.length)
  const part = dice.from(1, steps[stop]!.times)
  const before = steps.slice(0, stop).reduce((sum, { long, times }) => sum + long * times, 0)
  const { dx, dy, long, signX, signY } = steps[stop]!
  const at = [points[stop]![0] + dx * part * signX, points[stop]![1] + dy * part * signY] as const

  const shift = [dice.from(-40, 90), dice.from(-40, 90)] as const
  const factor = dice.from(1, 4)
  const turned = dice.below(2) === 1
  const drawn = points.map(([x, y]) => {
    const [a, b] = turned ? [-y, x] : [x, y]
    return [a * factor + shift[0], b * factor + shift[1]] as const
  })
  const xs = drawn.map(([x]) => x)
  const ys = drawn.map(([, y]) => y)
  const left = Math.min(...xs)
  const top = Math.min(...ys)

  return {
    expected: [total, ...at, left, top, Math.max(...xs) - left, Math.max(...ys) - top],
    put({ dice: how }) {
      const letters = points.slice(1).map((point, i) => spelledStep(points[i]!, point, how))
      const transform = spelledTransform({ shift, factor, turned }, how)
      return ['path', `M${start.join(' ')}${letters.join('')}`, transform, before + long * part]
    },
  }
}

type Point = readonly [number, number]

interface Transform {
  readonly shift: Point
  readonly factor: number
  /** Whether it is turned by a right angle. */
  readonly turned: boolean
}

/** Spells a transform as functions, or as a matrix. */
function spelledTransform({ shift, factor, turned }: Transform, how: Dice): string {
  if (how.below(2)) {
    const to = shift.join(how.below(2) ? ' ' : ',')
    return `translate(${to}) scale(${factor})${turned ? ' rotate(90)' : ''}`
  }
  if (turned) return `matrix(0 ${factor} ${-factor} 0 ${shift.join(' ')})`
  return `matrix(${factor},0,0,${factor},${shift.join(',')})`
}

/** Absolute or relative; straight ones by one letter. */
function spelledStep([ax, ay]: Point, [bx, by]: Point, how: Dice): string {
  const relative = how.below(2) === 1
  if (ay === by && how.below(3)) return relative ? `h${bx - ax}` : `H${bx}`
  if (ax === bx && how.below(3)) return relative ? `v${by - ay}` : `V${by}`
  const [x, y] = relative ? [bx - ax, by - ay] : [bx, by]
  return `${relative ? 'l' : 'L'}${x}${y < 0 ? '' : how.pick([' ', ','])}${y}`
}
