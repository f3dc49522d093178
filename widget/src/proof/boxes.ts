import type { BoxTask } from '../../../src/wire.ts'
import type { Stage } from './stage.ts'

/** Builds the boxes and says where some of them are. `setProperty` is no inline style to a Content-Security-Policy. */
export function measureBoxes([, boxes, targets]: BoxTask, stage: Stage): number[] {
  const place = stage.place()
  const elements: HTMLElement[] = []
  for (const [parent, style] of boxes) {
    const box = stage.document.createElement('div')
    for (const declaration of style.split(';')) {
      const [name, value] = declaration.split(':')
      box.style.setProperty(name!, value!)
    }
    ;(elements[parent] ?? place).append(box)
    elements.push(box)
  }
  return targets.flatMap((index) => stage.measure(elements[index]!))
}
