import type { BoxTask, PathTask, WireProof, WireProofTask } from '../../src/wire.ts'

/** `!important` on the element itself beats every rule of a page (CSS Cascade 5, 6.1); `all` does not reset the direction (3.2). */
const HOST =
  'all:initial!important;position:fixed!important;left:-3000px!important;top:0!important;width:1000px!important;height:1000px!important;contain:strict!important;visibility:hidden!important;direction:ltr!important;'
const PLACE = 'position:absolute;width:1000px'

/**
 * Does the tasks of a challenge, synchronously, in a shadow tree off screen, and removes it. Returns a list for each task, empty if this
 * browser cannot do it; undefined if nothing is laid out now, as in a hidden frame.
 */
export function answerProof({ tasks }: WireProof): number[][] | undefined {
  const host = styled(HOST)
  const root = host.attachShadow({ mode: 'closed' })
  document.documentElement.append(host)
  const own = host.getBoundingClientRect()
  const answers =
    own.width && own.height
      ? tasks.map((task) => {
          const place = styled(PLACE)
          root.append(place)
          return answer(task, place, own)
        })
      : undefined
  host.remove()
  return answers
}

/** A Content-Security-Policy allows `cssText`. */
function styled(style: string): HTMLElement {
  const element = document.createElement('div')
  element.style.cssText = style
  return element
}

function answer(task: WireProofTask, place: HTMLElement, own: DOMRect): number[] {
  try {
    return (task[0] === 'box' ? measureBoxes(task, place, own) : measurePath(task, place)).map(
      Math.round,
    )
  } catch {
    // In an old browser the other tasks may still succeed.
    return []
  }
}

/**
 * Builds the boxes and returns x, y, width and height of some of them, in CSS pixels from the corner of the host. They are scaled by
 * the size of the host: pages may have `zoom` or `transform` on their root.
 */
function measureBoxes([, boxes, targets]: BoxTask, place: HTMLElement, own: DOMRect): number[] {
  const elements: HTMLElement[] = []
  for (const [parent, style] of boxes) {
    const box = styled(style)
    ;(elements[parent] ?? place).append(box)
    elements.push(box)
  }
  return targets.flatMap((index) => {
    const { left, top, width, height } = elements[index]!.getBoundingClientRect()
    const [scaleX, scaleY] = [1000 / own.width, 1000 / own.height]
    return [(left - own.left) * scaleX, (top - own.top) * scaleY, width * scaleX, height * scaleY]
  })
}

/** Returns the path's length, the point at a distance along it, and the bounding box of its group. */
function measurePath([, d, transform, at]: PathTask, place: HTMLElement): number[] {
  const [svg, group, path] = ['svg', 'g', 'path'].map((name) =>
    document.createElementNS('http://www.w3.org/2000/svg', name),
  ) as [SVGSVGElement, SVGGElement, SVGPathElement]
  path.setAttribute('d', d)
  path.setAttribute('transform', transform)
  group.append(path)
  svg.append(group)
  place.append(svg)
  const point = path.getPointAtLength(at)
  const box = group.getBBox()
  return [path.getTotalLength(), point.x, point.y, box.x, box.y, box.width, box.height]
}
