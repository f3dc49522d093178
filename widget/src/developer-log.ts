/** Writes to the console, where the developer of the page looks. */
export function tellDeveloper(level: 'error' | 'warn' | 'info', text: string): void {
  // oxlint-disable-next-line eslint/no-console -- the one place that writes to it
  console[level](`svc-captcha: ${text}`)
}
