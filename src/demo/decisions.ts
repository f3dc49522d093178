/** One part of a score, in log-odds. */
export interface Part {
  readonly name: string
  readonly value: number
}

/** How a visit was scored, as the service's log says it. */
export interface Scored {
  /** 0 to 1. */
  readonly score: number
  /** 0 to 1; undefined where the log has none. */
  readonly threshold: number | undefined
  readonly parts: readonly Part[]
}

export interface Decisions {
  /** Reads a line of the service's log; anything but a decision is passed over. */
  add(line: unknown): void
  /** Finds the decision behind a response token, and waits up to a second for its line. */
  of(token: unknown): Promise<Scored | undefined>
}

const MOST = 100
const WAIT_MS = 1000

/** Keeps the latest 100 decisions by the id of their token. For the demonstration: a customer has no log of the service. */
export function decisionMemory(): Decisions {
  const scores = new Map<string, Scored>()
  const waiting = new Map<string, () => void>()
  return {
    add(line) {
      const read = readLine(line)
      if (!read) return
      scores.set(read.jti, read.scored)
      if (scores.size > MOST) scores.delete(scores.keys().next().value!)
      waiting.get(read.jti)?.()
    },
    async of(token) {
      const jti = idOf(token)
      if (jti === undefined) return undefined
      if (!scores.has(jti)) {
        await new Promise<void>((resolve) => {
          waiting.set(jti, resolve)
          setTimeout(resolve, WAIT_MS)
        })
        waiting.delete(jti)
      }
      return scores.get(jti)
    },
  }
}

function readLine(line: unknown): { readonly jti: string; readonly scored: Scored } | undefined {
  const { jti, decision } = parse(line) as { jti?: unknown; decision?: Record<string, unknown> }
  if (typeof jti !== 'string' || typeof decision !== 'object' || decision === null) return undefined
  const { score, threshold, contributions } = decision
  if (typeof score !== 'number' || !Array.isArray(contributions)) return undefined
  const parts = (contributions as Record<string, unknown>[]).flatMap(({ name, value }) =>
    typeof name === 'string' && typeof value === 'number' ? [{ name, value }] : [],
  )
  return { jti, scored: { score, threshold: typeof threshold === 'number' ? threshold : undefined, parts } }
}

/** The id that a token claims: it only finds words for a page, and decides nothing. */
function idOf(token: unknown): string | undefined {
  if (typeof token !== 'string') return undefined
  const { jti } = parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return typeof jti === 'string' ? jti : undefined
}

function parse(text: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
