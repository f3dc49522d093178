import type { BoxTask, PathTask, WireProof, WireProofTask } from '../../src/wire.ts'

/**
 * Where things are laid out: out of sight, out of the page's reach. `!important` on the element itself wins over every rule of a
 * page, whatever its layer (CSS Cascade 5, 6.1); `all` leaves the direction of the text as it is (3.2).
 */
const HOST =
  'all:initial!important;position:fixed!important;left:-3000px!important;top:0!important;width:1000px!important;height:1000px!important;contain:strict!important;visibility:hidden!important;direction:ltr!important;'
const PLACE = 'position:absolute;width:1000px'

/**
 * Does the tasks of a challenge, in one go, in a shadow tree of its own that no reader announces and nothing focuses, since it is not
 * visible. Nothing is left in the page afterwards, and no script of the page, not even a MutationObserver, runs meanwhile.
 *
 * @returns a list per task, empty where this browser could not do it; undefined when nothing is laid out now, as in a frame
 *   that is not shown or a page that hides its root: ask again later.
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

/** `cssText` is no inline style to a Content-Security-Policy. */
function styled(style: string): HTMLElement {
  const element = document.createElement('div')
  element.style.cssText = style
  return element
}

function answer(task: WireProofTask, place: HTMLElement, own: DOMRect): number[] {
  try {
    return (task[0] === 'box' ? measureBoxes(task, place, own) : measurePath(task, place)).map(Math.round)
  } catch {
    // An old browser, or a page that broke something: this one is wrong, the others may be right.
    return []
  }
}

/**
 * Builds the boxes and returns where some of them are: x, y, width and height in CSS pixels, from the corner of the host. The
 * host measures itself: zoomed or scaled pages (`zoom`, `transform` on the root) have other pixels.
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

/** Returns the path's length, the point so far along it, and the box of the group around it. */
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
