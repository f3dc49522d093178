/** What was seen of one thing. */
export interface Seen {
  /** `fix`: something is wrong; `unknown`: it could not be looked at, or decided, from here. */
  readonly outcome: 'good' | 'fix' | 'unknown'
  readonly saw: string
  /** What to do about it; empty when there is nothing to do. */
  readonly advice: string
}

export interface Finding extends Seen {
  readonly check: string
}

export const good = (saw: string): Seen => ({ outcome: 'good', saw, advice: '' })
export const fix = (saw: string, advice: string): Seen => ({ outcome: 'fix', saw, advice })
export const unknown = (saw: string, advice: string): Seen => ({ outcome: 'unknown', saw, advice })

/** Looks at one thing. @param otherwise what an error means, by its reason. */
export async function look(
  check: string,
  act: () => Seen | Promise<Seen>,
  otherwise: (reason: string, error: unknown) => Seen,
): Promise<Finding> {
  try {
    return { check, ...(await act()) }
  } catch (error) {
    return { check, ...otherwise(reasonOf(error), error) }
  }
}

/** The message of whatever was thrown, and of its cause: `fetch failed` alone explains nothing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** What to look at when nothing answers. Node.js uses a company's proxy only when told to. */
export function unreachableAdvice(env: Readonly<Record<string, string | undefined>>): string {
  const proxy = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find(
    (name) => env[name] !== undefined,
  )
  return proxy === undefined || env['NODE_USE_ENV_PROXY'] === '1'
    ? 'is the address right, the process running, the port open?'
    : `${proxy} is set, and Node.js uses it only with NODE_USE_ENV_PROXY=1 (Node.js 22.21 and 24; 20 has no such setting)`
}
