import type { Tally } from './tally.ts'

/** Seconds: tokens that end within one of these are counted together. */
const SPAN = 10
/** Seconds after the end in which a verdict may still come: clocks that differ, and answers on their way. */
const MARGIN = 10

/**
 * Which sites issue tokens that nobody verifies, without a state per token: issued and judged tokens are counted by the
 * moment they end, and told once it is over and nothing can change any more. One process may judge what another issued,
 * so only the difference over all processes means something.
 */
export interface TokenBalance {
  /** @param endsAt Unix seconds: the token's `exp`. */
  issued(site: string, endsAt: number): void
  judged(site: string, endsAt: number): void
  /** Tells what is over. @param now Unix seconds; Infinity: everything, at the end of the process. */
  settle(now: number): void
}

interface Span {
  readonly issued: Map<string, number>
  readonly judged: Map<string, number>
}

export function tokenBalance(counts: Tally): TokenBalance {
  const ended = counts.counter('tokens_ended')
  const endedJudged = counts.counter('tokens_ended_judged')
  // At most the longest life of a token, 600 s, and so some 60 of them.
  const spans = new Map<number, Span>()

  function add(kind: keyof Span, site: string, endsAt: number): void {
    const at = Math.floor(endsAt / SPAN)
    let span = spans.get(at)
    if (span === undefined) spans.set(at, (span = { issued: new Map(), judged: new Map() }))
    const before = span[kind].get(site)
    if (before === undefined) announce(site)
    span[kind].set(site, (before ?? 0) + 1)
  }

  /** Both counts are there, at 0, long before they move: else Prometheus misses their first move, and finds no difference. */
  function announce(site: string): void {
    ended(site, '', 0)
    endedJudged(site, '', 0)
  }

  return {
    issued: (site, endsAt) => add('issued', site, endsAt),
    judged: (site, endsAt) => add('judged', site, endsAt),
    settle(now) {
      for (const [at, { issued, judged }] of spans) {
        if ((at + 1) * SPAN + MARGIN > now) continue
        for (const [site, n] of issued) ended(site, '', n)
        for (const [site, n] of judged) endedJudged(site, '', n)
        spans.delete(at)
      }
    },
  }
}
