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
function readsNames(): boolean {
  const error = new Error('svc-captcha: a probe, no error')
  return (
    probe((read) =>
      Object.setPrototypeOf(error, {
        __proto__: Error.prototype,
        get name() {
          read()
          return 'Error'
        },
      }),
    ) > 1
  )
}

const readsGetters = (): boolean =>
  probe((read) => ({
    get name() {
      read()
      return ''
    },
  })) > 0

/** Shows an object in the console. @returns how often its getter was read. */
function probe(objectWith: (read: () => void) => object): number {
  let reads = 0
  const shown = objectWith(() => reads++)
  // oxlint-disable-next-line eslint/no-console -- the probe
  console.debug(shown)
  return reads
}
