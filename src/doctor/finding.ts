/** One thing that was looked at. */
export interface Finding {
  readonly check: string
  /** `fix`: something is wrong; `unknown`: it could not be looked at, or decided, from here. */
  readonly outcome: 'good' | 'fix' | 'unknown'
  readonly saw: string
  /** What to do about it; empty when there is nothing to do. */
  readonly advice: string
}

export const good = (check: string, saw: string): Finding => ({ check, outcome: 'good', saw, advice: '' })
export const fix = (check: string, saw: string, advice: string): Finding => ({ check, outcome: 'fix', saw, advice })
export const unknown = (check: string, saw: string, advice: string): Finding => ({
  check,
  outcome: 'unknown',
  saw,
  advice,
})

/** The message of whatever was thrown, and of its cause: `fetch failed` alone helps nobody. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}

/** What to look at when nobody answers. Node.js does not use the proxy of a company's network unless it is told to. */
export function unreachableAdvice(env: Readonly<Record<string, string | undefined>>): string {
  const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
  const proxy = names.find((name) => env[name] !== undefined)
  if (proxy === undefined || env['NODE_USE_ENV_PROXY'] === '1')
    return 'is the address right, the process running, the port open?'
  return `${proxy} is set, and Node.js uses it only with NODE_USE_ENV_PROXY=1 (Node.js 22.21 and 24; 20 has no such setting: run hv doctor with a newer one, or where no proxy is needed)`
}
