/** What an engine can tell of the accessibility of any page. Each function returns one line for each fault. */
import type { Page } from 'playwright-core'

/** More stops of Tab than any page here has. */
const MOST_STOPS = 80
/** WCAG 2.2, 1.4.12. */
const SPACED =
  '* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }'

/** Runs in the page: looks at every element below some, in shadow trees as well. */
function lookBelow(selector: string): { cut: string[]; media: string[] } {
  const cut: string[] = []
  const media: string[] = []
  const nameOf = (node: Element): string =>
    `${node.localName} ${node.id || node.getAttribute('class') || node.getAttribute('name') || ''}`
  const scrolls = (node: Element | null): boolean =>
    node !== null &&
    (/auto|scroll/.test(getComputedStyle(node).overflowX) || scrolls(node.parentElement))
  const isCut = (node: Element): boolean =>
    /hidden|clip/.test(getComputedStyle(node).overflowX) && node.scrollWidth > node.clientWidth + 1
  /** Reports whether an element is not shown, or is there for screen readers alone. */
  function isUnseen(node: Element): boolean {
    const { visibility, clipPath, clip } = getComputedStyle(node)
    const { width, right } = node.getBoundingClientRect()
    const isClipped = clipPath !== 'none' || clip !== 'auto'
    return visibility !== 'visible' || isClipped || width <= 1 || right < 0
  }
  function look(node: Element): void {
    if (isUnseen(node)) return
    const isMedia = node.matches('audio, video, object, embed, canvas, img')
    if (isMedia || getComputedStyle(node).backgroundImage.includes('url(')) media.push(nameOf(node))
    const { left, right } = node.getBoundingClientRect()
    if ((left < -1 || right > innerWidth + 1) && !scrolls(node.parentElement))
      cut.push(`${nameOf(node)} leaves the screen`)
    else if (isCut(node)) cut.push(`${nameOf(node)} is cut off`)
    for (const child of [...node.children, ...(node.shadowRoot?.children ?? [])]) look(child)
  }
  for (const node of document.querySelectorAll(selector)) look(node)
  return { cut, media }
}

/** Returns the pictures, sounds and videos of a page. */
export const mediaOf = async (page: Page, root = 'body'): Promise<string[]> =>
  (await page.evaluate(lookBelow, root)).media

/** Looks for what is cut off on a screen of 1,280 × 1,024 pixels zoomed to 200 and 400 %, and with spaced text. Leaves the page so. */
export async function cutOff(page: Page, root = 'body'): Promise<string[]> {
  const faults: string[] = []
  async function look(when: string): Promise<void> {
    const { cut } = await page.evaluate(lookBelow, root)
    faults.push(...cut.map((fault) => `${when}: ${fault}`))
  }
  await page.setViewportSize({ width: 640, height: 512 })
  await look('200 %')
  await page.setViewportSize({ width: 320, height: 256 })
  await look('400 %')
  await page.setViewportSize({ width: 640, height: 512 })
  // A sheet of a person's own reaches into no shadow tree; the widget's own tests space its text.
  await page.evaluate((rules) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(rules)
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  }, SPACED)
  await look('spaced')
  return faults
}

/** Shows the page upright and lengthwise. @returns the texts of both, which should be equal */
export async function turned(page: Page, root = 'body'): Promise<[upright: string, wide: string]> {
  const textAt = async (width: number, height: number): Promise<string> => {
    await page.setViewportSize({ width, height })
    return page.locator(root).first().innerText()
  }
  return [await textAt(360, 740), await textAt(740, 360)]
}

/** Runs in the page: what has the focus, and whether something lies over it. */
function focusInPage(): { what: string; isCovered: boolean } | undefined {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  if (!node || node === document.body || node === document.documentElement) return undefined
  const { left, top, right, bottom } = node.getClientRects()[0] ?? node.getBoundingClientRect()
  const root = node.getRootNode() as Document | ShadowRoot
  // A part of a large field may be outside the window.
  const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
  const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
  const over = root.elementFromPoint(x, y)
  const names = [node.id, node.getAttribute('name'), node.textContent?.trim(), node.className]
  const name = names.find(Boolean)
  // A label or a ring of its own may lie over a control.
  const isCovered = over === null || !(node.contains(over) || over.contains(node))
  return { what: `${node.localName} ${name}`, isCovered }
}

/**
 * Presses Tab from the start of the page until the focus has left it.
 *
 * @returns where it stopped, in order, and the faults: a stop that cannot be seen, is covered or did more than stop
 */
export async function walk(page: Page): Promise<{ stops: string[]; faults: string[] }> {
  const stops: string[] = []
  const faults: string[] = []
  const address = page.url()
  await page.evaluate(() => window.scrollTo(0, 0))
  for (let presses = 0; presses < MOST_STOPS; presses++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(focusInPage)
    if (page.url() !== address) throw new Error(`${stops.at(-1)} leaves the page`)
    if (!stop) return { stops, faults }
    stops.push(stop.what)
    if (stop.isCovered) faults.push(`${stop.what} is covered`)
    const focused = await page.screenshot()
    // Tab goes on from here.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    if (focused.equals(await page.screenshot())) faults.push(`${stop.what} shows no focus`)
  }
  throw new Error(`Tab does not leave the page: ${stops.join(', ')}`)
}

/** Presses each letter and digit where no field has the focus. @returns what they pressed, sent or moved */
export async function pressedByLetters(page: Page): Promise<string[]> {
  await page.evaluate(() => {
    const heard: string[] = []
    Object.assign(window, { heard })
    ;(document.activeElement as HTMLElement | null)?.blur()
    for (const type of ['click', 'submit', 'focusin', 'scroll'])
      document.addEventListener(type, () => heard.push(type), true)
  })
  for (const key of 'abcdefghijklmnopqrstuvwxyz0123456789?/.,') await page.keyboard.press(key)
  return page.evaluate('heard')
}

/** Hovers over whatever can be pressed. @returns the texts that appear */
export async function appearing(page: Page, root = 'body'): Promise<string[]> {
  const text = (): Promise<string> => page.locator(root).first().innerText()
  const [before, found] = [await text(), [] as string[]]
  const controls = page.locator(root).locator('a[href], button, input:not([type=hidden]), summary')
  for (const control of await controls.all()) {
    if (!(await control.isVisible())) continue
    await control.hover()
    const now = await text()
    if (now !== before) found.push(now)
  }
  return found
}
