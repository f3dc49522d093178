import { DISPATCH_BITS, EVENT_BITS, listSum } from '../../../src/domain/proof/agreed.ts'
import type { EventTask } from '../../../src/wire.ts'

/** Returns which listeners hear dispatched events, and in which order, as a sum. The elements are in no document. */
export async function hearEvents([, depth, listeners, dispatches]: EventTask): Promise<number[]> {
  const nodes = Array.from({ length: depth }, () => document.createElement('div'))
  nodes.reduce((outer, inner) => (outer.append(inner), inner))
  const lines: number[] = []

  const calls = listeners.map(([, bits], index) => (event: Event) => {
    lines.push(8 * index + event.eventPhase)
    if (bits & EVENT_BITS.stop) event.stopPropagation()
    if (bits & EVENT_BITS.stopNow) event.stopImmediatePropagation()
    if (bits & EVENT_BITS.prevent) event.preventDefault()
    if (bits & EVENT_BITS.later) void pushLater(8 * index + 6)
    if (bits & EVENT_BITS.removesNext && listeners[index + 1]) remove(index + 1)
  })
  const pushLater = async (line: number): Promise<void> => {
    await turn()
    lines.push(line)
  }
  const remove = (index: number): void => {
    const [node, bits] = listeners[index]!
    nodes[node]!.removeEventListener('x', calls[index]!, Boolean(bits & EVENT_BITS.capture))
  }

  listeners.forEach(([node, bits], index) =>
    nodes[node]!.addEventListener('x', calls[index]!, {
      capture: Boolean(bits & EVENT_BITS.capture),
      once: Boolean(bits & EVENT_BITS.once),
      passive: Boolean(bits & EVENT_BITS.passive),
    }),
  )
  for (const [node, bits] of dispatches) {
    const event = new Event('x', {
      bubbles: Boolean(bits & DISPATCH_BITS.bubbles),
      cancelable: Boolean(bits & DISPATCH_BITS.cancelable),
    })
    lines.push(nodes[node]!.dispatchEvent(event) ? 4 : 5)
  }
  await turn()
  return [listSum(lines)]
}

/** An engine's own microtask: pages that patch `Promise` (Zone.js) run theirs between listeners, but cannot patch this. */
const turn = async (): Promise<void> => {}
