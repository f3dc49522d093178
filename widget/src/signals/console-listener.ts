let answer: boolean | undefined

/**
 * Reports whether something listens to the console: a driver with the Runtime domain on, or developer tools. Listeners read what they
 * show: Chromium reads the `name` of an error once for its message and once for each listener, Firefox reads getters of plain objects.
 * Probes once in a page, since error collectors record it (docs/widget/widget.md, "The console"), and `again` at the step.
 */
export function hasConsoleListener(again: boolean): boolean {
  if (again || answer === undefined)
    answer = 'mozInnerScreenX' in window ? readsGetters() : readsNames()
  return answer
}

/** The message is for readers of error collectors. */
export function readsNames(): boolean {
  let reads = 0
  const error = new Error('svc-captcha: a probe, no error')
  Object.setPrototypeOf(error, {
    __proto__: Error.prototype,
    get name() {
      reads++
      return 'Error'
    },
  })
  // oxlint-disable-next-line eslint/no-console -- the probe
  console.debug(error)
  return reads > 1
}

function readsGetters(): boolean {
  let reads = 0
  // oxlint-disable-next-line eslint/no-console -- as above
  console.debug({
    get name() {
      reads++
      return ''
    },
  })
  return reads > 0
}
