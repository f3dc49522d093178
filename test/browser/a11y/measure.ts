import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Color {
  readonly alpha: number
  parseString(css: string): void
}
interface Colors {
  readonly Color: new () => Color
  readonly flattenColors: (over: Color, under: Color) => Color
  readonly getContrast: (under: Color, over: Color) => number
}
/** axe-core's arithmetic of colours, which its types leave out. */
const { Color, flattenColors, getContrast } = (axe as unknown as { commons: { color: Colors } })
  .commons.color
function parse(css: string): Color {
  const parsed = new Color()
  parsed.parseString(css)
  return parsed
}

/** A colour on another, as computed by the browser. */
export interface Contrast {
  readonly what: string
  /** 1 to 21, two decimals, rounded down: never more than it is. */
  readonly ratio: number
  /** WCAG 2.2: 4.5 for text (1.4.3), 3 for marks, borders and focus (1.4.11, 2.4.13). */
  readonly least: 4.5 | 3
}

/** Everything of the widget that is seen now and has to stand out. */
export async function contrasts(page: Page): Promise<Contrast[]> {
  const pairs = await page.locator('.svc-captcha .box').evaluate((box) => {
    const find = (name: string): Element | undefined => {
      const node = box.querySelector(`.${name}`)
      return node && Number(getComputedStyle(node).opacity) > 0 && node.getClientRects().length > 0
        ? node
        : undefined
    }
    const ground = getComputedStyle(box).backgroundColor
    const found: { what: string; over: string; under: string; least: 4.5 | 3 }[] = []
    for (const name of ['label', 'status', 'retry']) {
      const node = find(name)
      if (!node) continue
      const { color, backgroundColor, borderTopColor, opacity } = getComputedStyle(node)
      // What fades lets its ground shine through.
      const over = color.replace(/^rgb\((.*)\)$/, `rgba($1, ${opacity})`)
      found.push({
        what: name,
        over,
        under: name === 'retry' ? backgroundColor : ground,
        least: 4.5,
      })
      if (name === 'retry')
        found.push({ what: 'retry, its border', over: borderTopColor, under: ground, least: 3 })
    }
    const frame = find('frame')
    const filled = frame ? getComputedStyle(frame).fill : 'none'
    for (const name of ['frame', 'arc', 'tick', 'bang', 'again', 'brand']) {
      const node = find(name)
      if (!node) continue
      const under = name === 'tick' && filled.startsWith('rgb') ? filled : ground
      found.push({ what: name, over: getComputedStyle(node).stroke, under, least: 3 })
    }
    return { found, ground }
  })
  return pairs.found.map(({ what, over, under, least }) => ({
    what,
    least,
    ratio: ratioOf(over, under, pairs.ground),
  }))
}

/** @throws {Error} when `over` or `under` is no colour, or lets its ground shine through: a ratio that was not measured must not pass. */
export function ratioOf(over: string, under: string, ground = under): number {
  const below = flattenColors(parse(under), parse(ground))
  if (below.alpha < 1) throw new RangeError(`wants an opaque ground; got ${ground}`)
  return Math.floor(getContrast(below, flattenColors(parse(over), below)) * 100) / 100
}

/** The colour of the ring around whatever of the widget has the focus, and of what is behind it; undefined: no ring. */
export const focusRing = (
  page: Page,
): Promise<{ over: string; under: string; px: number } | undefined> =>
  page.locator('.svc-captcha .box').evaluate((box) => {
    const focused = (box.getRootNode() as ShadowRoot).activeElement
    if (!focused) return undefined
    // The check box lets the whole widget wear its ring.
    const style = getComputedStyle(focused, focused.matches('.mark') ? '::after' : undefined)
    if (style.outlineStyle === 'none') return undefined
    return {
      over: style.outlineColor,
      under: getComputedStyle(document.body).backgroundColor,
      px: Number.parseFloat(style.outlineWidth),
    }
  })

/** Sizes of everything that can be pressed, CSS pixels. */
export const targets = (page: Page): Promise<{ what: string; width: number; height: number }[]> =>
  page.locator('.svc-captcha .box button').evaluateAll((buttons) =>
    buttons
      .filter(
        (button) =>
          button.getClientRects().length > 0 && getComputedStyle(button).visibility !== 'hidden',
      )
      .map((button) => {
        const { width, height } = button.getBoundingClientRect()
        return { what: button.className, width, height }
      }),
  )

/** What does not fit: the page scrolls sideways, or something of the widget is cut off or leaves it. */
export const misfits = (page: Page): Promise<string[]> =>
  page.locator('.svc-captcha .box').evaluate((box) => {
    const found: string[] = []
    const { scrollWidth } = document.documentElement
    if (scrollWidth > innerWidth)
      found.push(`the page is ${scrollWidth} px wide on a screen of ${innerWidth}`)
    /** Reports how a part is cut off or leaves the box, if it does. */
    const misfit = (node: Element): string | undefined => {
      const { left, right, top, bottom } = node.getBoundingClientRect()
      const isInside =
        left >= outer.left - 1 &&
        right <= outer.right + 1 &&
        top >= outer.top - 1 &&
        bottom <= outer.bottom + 1
      if (!isInside) return 'leaves the box'
      const isInline = getComputedStyle(node).display === 'inline'
      return node.scrollWidth > node.clientWidth + 1 && !isInline ? 'is cut off' : undefined
    }
    const outer = box.getBoundingClientRect()
    // Invisible, it is one pixel for screen readers.
    if (outer.width <= 1) return found
    if (outer.right > innerWidth || outer.left < 0)
      found.push(`the widget reaches from ${outer.left} to ${outer.right}`)
    for (const node of box.querySelectorAll('.mark, .label, .status, .retry')) {
      // What is not shown, or is there for screen readers alone, cannot be cut off.
      if (node.getClientRects().length === 0 || getComputedStyle(node).clipPath !== 'none') continue
      const how = misfit(node)
      if (how) found.push(`${node.getAttribute('class')} ${how}`)
    }
    return found
  })

/** Notes, from now on, every text that a live region of the widget takes on; read them with `announced`. */
export const listen = (page: Page): Promise<void> =>
  page.locator('.svc-captcha .box').evaluate((box) => {
    const lines: string[] = []
    Object.assign(window, { announcedLines: lines })
    for (const region of box.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
      new MutationObserver(() => lines.push(region.textContent ?? '')).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      })
    }
  })
export const announced = (page: Page): Promise<string[]> => page.evaluate('announcedLines')

/** The accessibility tree of the page, as Chromium hands it to screen readers: role, name and properties of each node. */
export async function readAloud(page: Page): Promise<Readonly<Record<string, string>>[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  await session.detach()
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      ...Object.fromEntries(properties.map((one) => [one.name, String(one.value.value)])),
      role: String(role?.value),
      name: String(name?.value ?? ''),
    }))
}
