import type { BoxTask } from '../../../src/wire.ts'
import type { Stage } from './stage.ts'

/** Builds the boxes and says where some of them are. `cssText` is no inline style to a Content-Security-Policy. */
export function measureBoxes([, boxes, targets]: BoxTask, stage: Stage): number[] {
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
