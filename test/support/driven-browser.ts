/** A real browser that a test drives by real keys and clicks: Firefox and WebKit; Chromium has Playwright. */
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

/** Sends one command to a driver; what it answers, or the error it names. */
export type Send = (name: string, parameters: object) => Promise<unknown>

/** How one driver calls what all have. */
export interface Commands {
  readonly find: string
  readonly act: string
  readonly script: string
  readonly navigate: string
  readonly back: string
  readonly click: string
  readonly keys: string
}

const WAIT_MS = 20_000
/** The key under which WebDriver hands out elements. @see https://www.w3.org/TR/webdriver2/#elements */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** The commands of WebDriver, over any transport. @param called the browser, for errors. */
export function drivenBrowser(
  called: string,
  send: Send,
  commands: Commands,
  close: () => Promise<void>,
): DrivenBrowser {
  const find = async (selector: string): Promise<{ id: string }> => {
    const found = await send(commands.find, { using: 'css selector', value: selector })
    return { id: (found as Record<string, string>)[ELEMENT]! }
  }
  const act = (source: object): Promise<void> => send(commands.act, { actions: [source] }).then(() => {})
  const run = (body: string, ...values: readonly unknown[]): Promise<unknown> =>
    send(commands.script, { script: body, args: values })
  return {
    run,
    open: (url) => send(commands.navigate, { url }).then(() => {}),
    async until(expression) {
      for (let waited = 0; waited < WAIT_MS; waited += 50) {
        if (await run(`return Boolean(${expression})`)) return
        await pause(50)
      }
      throw new Error(`in ${called} this did not become true: ${expression}`)
    },
    type: async (selector, text) => void (await send(commands.keys, { ...(await find(selector)), text })),
    keys: (text) => act({ type: 'key', id: 'keys', actions: [...text].flatMap(stroke) }),
    click: async (selector) => void (await send(commands.click, await find(selector))),
    async doubleClick(selector) {
      const move = { type: 'pointerMove', x: 0, y: 0, duration: 0, origin: { [ELEMENT]: (await find(selector)).id } }
      const press = [
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      await act({ type: 'pointer', id: 'mouse', actions: [move, ...press, ...press] })
    },
    back: () => send(commands.back, {}).then(() => {}),
    close,
  }
}

const stroke = (value: string): object[] => [
  { type: 'keyDown', value },
  { type: 'keyUp', value },
]

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
