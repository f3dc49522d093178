import { userActivation } from './activation.ts'
import { after, steady } from './clock.ts'

/** A press makes its click in this time or not at all. */
const PRESS_MS = 1000
const loadedAt = steady()

/**
 * Brings the box into view after a press: pages hide it in a closed `<details>`, a step of a wizard, or under a dialog, and put it far from
 * the button. As a last resort it moves next to the pressed element.
 *
 * @param home the container of the box.
 * @returns whether it had to move.
 */
export function bringIntoView(
  host: HTMLElement,
  home: Element,
  pressedElement: Element | null,
): boolean {
  for (
    let node: Node | null = home;
    node;
    node = node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null
  )
    if (node instanceof HTMLDetailsElement) node.open = true
  const isMoved = !scrolledTo(host) && !!pressedElement?.isConnected
  if (isMoved) {
    pressedElement.after(host)
    scrolledTo(host)
  }
  return isMoved
}

function scrolledTo(host: HTMLElement): boolean {
  host.scrollIntoView({ block: 'center', behavior: 'instant' })
  return isInView(host)
}

/** Reports whether the middle of the box can be seen and pressed: not outside the window, clipped, covered, inert or transparent. */
export function isInView(host: HTMLElement): boolean {
  const { left, top, width, height } = host.getBoundingClientRect()
  const root = host.getRootNode() as Document | ShadowRoot
  return (
    (host.checkVisibility?.({ opacityProperty: true }) ?? true) &&
    root.elementFromPoint(left + width / 2, top + height / 2) === host
  )
}

/** Calls a function, but not during a press: a box that moves the button would lose the click. */
export function afterPress(act: () => void, signal: AbortSignal): void {
  if (!userActivation().isActive || steady() - loadedAt > PRESS_MS) return act()
  window.addEventListener('click', () => after(0, act), { capture: true, once: true, signal })
  after(PRESS_MS, act)
}
