import type { Dice } from './dice.ts'
import { DISPATCH_BITS, EVENT_BITS, listSum } from './agreed.ts'
import type { ProofTask } from './task.ts'

interface Listener {
  readonly node: number
  readonly bits: number
  gone: boolean
}

/**
 * Asks which listeners hear dispatched events, in which order: capture, target, bubble, once, passive, stopped, prevented, removed on
 * the way, microtasks after all. DOM, 2.9; HTML, 8.1.4.
 *
 * Why an engine: DOM simulators can do it too; it costs a program that has no DOM at all.
 * Who could be hurt: a page that patches `addEventListener` wrongly; then this one task is wrong, which does not fail
 * anybody. Focus and default actions are left out: they would be the page's, not ours.
 */
export function eventTask(dice: Dice): ProofTask {
  const depth = dice.from(3, 4)
  const b = EVENT_BITS
  const extras = [0, 0, 0, b.once, b.passive | b.prevent, b.stop, b.stopNow, b.prevent, b.later, b.later, b.removesNext]
  const listeners = dice.times(dice.from(7, 9), () => ({
    node: dice.below(depth),
    bits: dice.below(2) * b.capture + dice.pick(extras),
  }))
  const dispatches = dice.times(3, () => ({
    node: dice.from(1, depth - 1),
    bits: dice.below(3) ? DISPATCH_BITS.bubbles + 2 * dice.below(2) : dice.below(4),
  }))

  return {
    expected: [listSum(hear(listeners, dispatches))],
    put: () => [
      'event',
      depth,
      listeners.map(({ node, bits }) => [node, bits] as const),
      dispatches.map(({ node, bits }) => [node, bits] as const),
    ],
  }
}

/** The calls that are heard: 8 × listener + phase for each call; 4, or 5 when prevented, after each dispatch; 8 × listener + 6 for microtasks. */
function hear(
  registrations: readonly { node: number; bits: number }[],
  dispatches: readonly { node: number; bits: number }[],
): number[] {
  const b = EVENT_BITS
  const listeners: Listener[] = registrations.map(({ node, bits }) => ({ node, bits, gone: false }))
  const lines: number[] = []
  const later: number[] = []

  for (const { node: target, bits } of dispatches) {
    const event = { stopped: false, prevented: false }

    /** All listeners of one node for one direction, in the order they were added. */
    const visit = (node: number, capture: boolean): void => {
      let stoppedNow = false
      const phase = node === target ? 2 : capture ? 1 : 3
      listeners.forEach((listener, index) => {
        if (stoppedNow || listener.gone || listener.node !== node) return
        if ((listener.bits & b.capture) > 0 !== capture) return
        lines.push(8 * index + phase)
        if (listener.bits & b.once) listener.gone = true
        if (listener.bits & b.stop) event.stopped = true
        if (listener.bits & b.stopNow) event.stopped = stoppedNow = true
        if (listener.bits & b.prevent && !(listener.bits & b.passive) && bits & DISPATCH_BITS.cancelable)
          event.prevented = true
        if (listener.bits & b.later) later.push(8 * index + 6)
        const next = listeners[index + 1]
        if (listener.bits & b.removesNext && next) next.gone = true
      })
    }
    for (let node = 0; node <= target && !event.stopped; node++) visit(node, true)
    for (let node = target; node >= 0 && !event.stopped; node--) {
      if (node === target || bits & DISPATCH_BITS.bubbles) visit(node, false)
    }
    lines.push(event.prevented ? 5 : 4)
  }
  return [...lines, ...later]
}
