import type { BoxTask, PathTask, WireProof, WireProofTask } from '../../../src/wire.ts'
import { openStage, type Stage } from './stage.ts'
import { KNOWN_PROOF } from './version.ts'

/**
 * Does the tasks of a challenge, in one go, off the screen: nothing is left in the page afterwards, and no script of the page, not
 * even a MutationObserver, runs meanwhile.
 *
 * @returns a list per task, empty where this browser could not do it; undefined when nothing can be measured now, as in
 *   a frame that is not shown: ask again later.
 */
export function answerProof({ v, tasks }: WireProof): number[][] | undefined {
  const stage = v === KNOWN_PROOF ? openStage() : undefined
  const answers = stage && tasks.map((task) => answer(task, stage))
  stage?.close()
  return answers
}

function answer(task: WireProofTask, stage: Stage): number[] {
  try {
    return (task[0] === 'box' ? measureBoxes(task, stage) : measurePath(task, stage)).map(Math.round)
  } catch {
    // An old browser, or a page that broke something: this one is wrong, the others may be right.
    return []
  }
}

/** Builds the boxes and returns where some of them are. `cssText` is no inline style to a Content-Security-Policy. */
function measureBoxes([, boxes, targets]: BoxTask, stage: Stage): number[] {
  const place = stage.place()
  const elements: HTMLElement[] = []
  for (const [parent, style] of boxes) {
    const box = document.createElement('div')
    box.style.cssText = style
    ;(elements[parent] ?? place).append(box)
    elements.push(box)
  }
  return targets.flatMap((index) => stage.measure(elements[index]!))
}

/** Returns the path's length, the point so far along it, and the box of the group around it. */
function measurePath([, d, transform, at]: PathTask, stage: Stage): number[] {
  const [svg, group, path] = ['svg', 'g', 'path'].map((name) =>
    document.createElementNS('http://www.w3.org/2000/svg', name),
  ) as [SVGSVGElement, SVGGElement, SVGPathElement]
  path.setAttribute('d', d)
  path.setAttribute('transform', transform)
  group.append(path)
  svg.append(group)
  stage.place().append(svg)
  const point = path.getPointAtLength(at)
  const box = group.getBBox()
  return [path.getTotalLength(), point.x, point.y, box.x, box.y, box.width, box.height]
}
