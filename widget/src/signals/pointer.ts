import { counts, type Watch, type InputSignals } from './counts.ts'
import { rounded, type Sample, sample } from './sample.ts'
import { isBalancedReach, type Point } from './balanced-reach.ts'

/** Less than a frame at 360 Hz. */
const SAME_FRAME_MS = 2.5

/** Firefox 153 gives it to the `mousedown` of WebDriver; that of a mouse has 0 on Linux. */
const DRIVEN_PRESSURE = 0.5
/** Reports whether WebDriver pressed. A Firefox that resists fingerprinting gives every press this pressure, even a copy. */
const isDriven = (event: Sourced): boolean =>
  event.mozPressure === DRIVEN_PRESSURE &&
  (new MouseEvent('mousedown', event) as Sourced).mozPressure !== DRIVEN_PRESSURE

/** What only Chromium and only Firefox say of the device that made a `mousedown`. */
interface Sourced extends MouseEvent {
  readonly sourceCapabilities?: unknown
  readonly mozPressure?: number
}

/**
 * Watches how a mouse is moved and pressed. Devices report faster than the screen draws, so their moves arrive in bundles, once a frame;
 * a debugger's arrive singly or several in a frame, press without pressure and hit the middle. Voice control and eye trackers also press
 * shortly and in the middle: each signal weighs little.
 */
export function watchPointer(): Watch<PointerEvent | MouseEvent> {
  const count = counts()
  const gaps = sample()
  const holds = sample()
  const path: Point[] = []
  let press: { isFlat: boolean; isCentred: boolean; at: number } | undefined
  let lastMove = 0
  let handledAt = -Infinity

  function onMove(event: PointerEvent): void {
    count.add('moves')
    const bundle = event.getCoalescedEvents?.() ?? []
    if (bundle.length > 1) count.add('coalesced')
    const gap = event.timeStamp - lastMove
    lastMove = event.timeStamp
    if (gap < 100) gaps.add(gap)
    if (event.pointerType !== 'mouse') return
    const now = performance.now()
    // Equal times come from a coarse clock.
    if (now > handledAt && now - handledAt < SAME_FRAME_MS) count.add('sameFrame')
    handledAt = now
    for (const { clientX: x, clientY: y, timeStamp: at } of bundle.length ? bundle : [event])
      path.push({ x, y, at })
    if (path.length > 256) path.splice(0, 128)
  }

  function onPress(event: PointerEvent): void {
    count.add('presses')
    if (event.pointerType !== 'mouse') return count.add('touches')
    press = { isFlat: event.pressure === 0, isCentred: isInTheMiddle(event), at: event.timeStamp }
    const isBalanced = isBalancedReach(path)
    if (isBalanced !== undefined) count.add('reaches')
    if (isBalanced) count.add('balanced')
    path.length = 0
  }

  /** Follows the press. Presses of assistive technology have no `sourceCapabilities`. docs/design/risk.md#flat-press */
  function onMouseDown(event: Sourced): void {
    if (!press) return
    if (event.sourceCapabilities === null) {
      press = undefined
      return
    }
    if ((press.isFlat && event.sourceCapabilities) || isDriven(event)) count.add('flatPresses')
    if (press.isCentred) count.add('centred')
  }

  return {
    see(event) {
      if (event.type === 'pointermove') onMove(event as PointerEvent)
      else if (event.type === 'pointerdown') onPress(event as PointerEvent)
      else if (event.type === 'pointerup') {
        if (press) holds.add(event.timeStamp - press.at)
        press = undefined
      } else onMouseDown(event)
    },
    summary: () => ({ ...count.all(), ...rhythmOf(gaps, holds) }),
  }
}

/** Returns the milliseconds between moves, and from press to release. */
function rhythmOf(gaps: Sample, holds: Sample): InputSignals {
  const gap = gaps.at(0.5)
  const hold = holds.at(0.5)
  return {
    ...(gap !== undefined && { moveGap: rounded(gap, 1, 100) }),
    ...(hold !== undefined && {
      pressHold: rounded(hold, 5, 1000),
      pressHoldSpread: rounded(holds.at(1)! - holds.at(0)!, 5, 1000),
    }),
  }
}

/** Reports whether a press is within 1 % of the centre of a target that is not tiny. */
function isInTheMiddle(event: PointerEvent): boolean {
  const { clientX, clientY } = event
  // The element in the shadow tree, as of our own button.
  const [target] = event.composedPath()
  if (!(target instanceof Element)) return false
  const { left, top, width, height } = target.getBoundingClientRect()
  if (width < 16 || height < 12 || target.contains(document.body)) return false
  // At least half a pixel, since coordinates are whole numbers.
  return (
    off(clientX, left, width) <= Math.max(0.5, width / 100) &&
    off(clientY, top, height) <= Math.max(0.5, height / 100)
  )
}

const off = (at: number, from: number, size: number): number => Math.abs(at - from - size / 2)
