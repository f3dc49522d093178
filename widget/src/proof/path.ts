import type { PathTask } from '../../../src/wire.ts'
import type { Stage } from './stage.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** The path's length, the point so far along it, and the box of the group around it. */
export function measurePath([, d, transform, at]: PathTask, stage: Stage): number[] {
  const svg = document.createElementNS(SVG, 'svg')
  const group = document.createElementNS(SVG, 'g')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', d)
  path.setAttribute('transform', transform)
  group.append(path)
  svg.append(group)
  stage.place().append(svg)
  const point = path.getPointAtLength(at)
  const box = group.getBBox()
  return [path.getTotalLength(), point.x, point.y, box.x, box.y, box.width, box.height].map(Math.round)
}
