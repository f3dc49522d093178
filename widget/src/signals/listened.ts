/*
 * A probe for a listener to the console: a driver with the Runtime domain on, or a person with developer tools open.
 *
 * Why: to show an object, the listener reads it. Chromium reads the `name` of an error once for its own message, and
 * once more for each listener; Firefox reads getters of plain objects.
 * Who could be hurt: people with developer tools open. Never fails anybody alone.
 * Measured: docs/design/risk.md, "What separates".
 */
let answer: boolean | undefined

/**
 * Asked once in a page, however many widgets and tokens: collectors of errors keep what is said. docs/widget/widget.md, "The console"
 *
 * By the engine, whatever the agent string says.
 *
 * @param anew asks once more, whatever the answer was: a driver may come later.
 */
export function isListened(anew: boolean): boolean {
  if (anew || answer === undefined) answer = 'mozInnerScreenX' in window ? readsGetters() : readsNames()
  return answer
}

/** The message is for readers of what a collector of errors kept. */
export function readsNames(): boolean {
  let reads = 0
  const error = new Error('svc-captcha: a probe, no error')
  Object.setPrototypeOf(error, {
    __proto__: Error.prototype,
    get name() {
      return (reads++, 'Error')
    },
  })
  // oxlint-disable-next-line eslint/no-console -- the listener is what we ask for
  console.debug(error)
  return reads > 1
}

function readsGetters(): boolean {
  let reads = 0
  // oxlint-disable-next-line eslint/no-console -- as above
  console.debug({
    get name() {
      return (reads++, '')
    },
  })
  return reads > 0
}
