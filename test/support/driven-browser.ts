import { setTimeout as sleep } from 'node:timers/promises'

/** A real browser that a test drives by real keys and clicks, whatever drives it. */
export interface DrivenBrowser {
  open(url: string): Promise<void>
  /** Runs the body of a function in the page. @returns what it returns, as JSON. @throws {Error} what it throws. */
  run(body: string, ...values: readonly unknown[]): Promise<unknown>
  /** Asks until the expression is true. @throws {Error} after 20 s, with the expression. */
  until(expression: string): Promise<void>
  /** Real key strokes into an element. */
  type(selector: string, text: string): Promise<void>
  /** Real key strokes into whatever has the focus; `KEYS` names those that write nothing. */
  keys(text: string): Promise<void>
  /** A real click. */
  click(selector: string): Promise<void>
  doubleClick(selector: string): Promise<void>
  back(): Promise<void>
  close(): Promise<void>
}

/** @see https://www.w3.org/TR/webdriver2/#keyboard-actions */
export const KEYS = { tab: '\uE004', enter: '\uE007' } as const
const NAMED: Readonly<Record<string, string>> = { [KEYS.tab]: 'Tab', [KEYS.enter]: 'Enter' }

/** Asks a page until the expression is true, also while it navigates. Not in the page: a policy may forbid `eval`. */
export async function untilTrue(run: DrivenBrowser['run'], expression: string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(50))
    if (await run(`return Boolean(${expression})`).catch(() => false)) return
  throw new Error(`this did not become true: ${expression}`)
}

/** A page of Playwright or Puppeteer. */
interface Page {
  goto(url: string): Promise<unknown>
  evaluate(script: string): Promise<unknown>
  type(selector: string, text: string): Promise<void>
  click(selector: string, options?: { clickCount?: number; count?: number }): Promise<void>
  readonly keyboard: { press(key: string): Promise<void> }
}

/** @param close ends the browser. */
export function drivenPage(page: Page, close: () => Promise<void>): DrivenBrowser {
  const run: DrivenBrowser['run'] = (body, ...values) =>
    page.evaluate(`(function () { ${body} }).apply(null, ${JSON.stringify(values)})`)
  return {
    run,
    open: async (url) => void (await page.goto(url)),
    until: (expression) => untilTrue(run, expression),
    type: (selector, text) => page.type(selector, text),
    async keys(text) {
      for (const key of text) await page.keyboard.press(NAMED[key] ?? key)
    },
    click: (selector) => page.click(selector),
    doubleClick: (selector) => page.click(selector, { clickCount: 2, count: 2 }),
    back: async () => void (await page.evaluate('setTimeout(() => history.back())')),
    close,
  }
}
