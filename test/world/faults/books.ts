import type { ChallengeAnswer, SolveAnswer } from '../../../src/wire.ts'
import { answerProblems } from '../../support/openapi.ts'
import { ORIGIN, SECRET, SITEKEY } from '../../support/process.ts'
import { BROWSER, someone } from '../../support/visitor.ts'
import { prove } from './instance.ts'
import type { Solver } from './solver.ts'

/** The address of every visitor; whole, it must not be found in a log. */
export const VISITOR_IP = '203.0.113.77'
/** Milliseconds that an answer may take, whatever happens. docs/design/threats.md, "Promises". */
const LONGEST = 2000

export type Operation = 'challenge' | 'solve' | 'siteverify'

/** One request and what came of it; times in milliseconds of `performance.now()`. */
export interface Answer {
  readonly url: string
  readonly operation: Operation
  readonly at: number
  readonly ms: number
  /** 0: no answer came. */
  readonly status: number
  /** The first code, `none`, or `no-answer`. */
  readonly code: string
  readonly body: Record<string, unknown>
}

/** One solved challenge, and how often it was accepted. */
export interface Visit {
  readonly challenge: string
  readonly request: {
    readonly challenge: string
    readonly solution: string
    readonly signals: string
  }
  /** All of one id; the first is the visitor's own. */
  readonly tokens: string[]
  accepted: number
  /** Bodies for which this challenge gave a token: one, or the challenge succeeded twice. */
  bodies: number
}

/** The ground truth: counted from HTTP answers alone. */
export type Books = ReturnType<typeof openBooks>

export function openBooks(solver: Solver) {
  const answers: Answer[] = []
  const visits: Visit[] = []
  /** Whatever is not a documented answer in time. */
  const problems: string[] = []
  const lossy = new Set<string>()

  async function ask(
    url: string,
    operation: Operation,
    fields: Record<string, string>,
  ): Promise<Answer> {
    const page = operation === 'siteverify' ? {} : { ...BROWSER, origin: ORIGIN }
    const at = performance.now()
    const made = { url, operation, at }
    let answer: Answer
    try {
      const res = await fetch(`${url}/api/v1/${operation}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { ...page, 'x-forwarded-for': VISITOR_IP },
        signal: AbortSignal.timeout(10_000),
      })
      const text = await res.text()
      const ms = performance.now() - at
      // A balancer's own answer is a page.
      const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>
      const code = ((body['error-codes'] ?? []) as string[])[0] ?? 'none'
      answer = { ...made, ms, status: res.status, code, body }
      const { status, headers } = res
      const wrong = answerProblems({
        method: 'POST',
        path: `/api/v1/${operation}`,
        status,
        headers,
        body: text,
      })
      if (status === 500) problems.push(`${operation}: ${text.slice(0, 200)}`)
      const late = ms > LONGEST ? [`${operation}: took ${Math.round(ms)} ms`] : []
      // A balancer answers 502 when an instance died with the request.
      if (!(lossy.has(url) && status === 502)) problems.push(...wrong, ...late)
    } catch (error) {
      answer = { ...made, ms: performance.now() - at, status: 0, code: 'no-answer', body: {} }
      if (!lossy.has(url))
        problems.push(
          `${operation}: no answer after ${answer.ms} ms: ${String((error as Error).cause)}`,
        )
    }
    answers.push(answer)
    return answer
  }

  return {
    answers,
    visits,
    problems,
    /** Requests to this address may stay without an answer from now on: its process is being ended. */
    expectLoss: (url: string) => void lossy.add(url),
    /** Challenge, work, solve. @returns undefined when the service did not give a token. */
    async visit(challengeAt: string, solveAt = challengeAt, by = solver) {
      const issued = await ask(challengeAt, 'challenge', {
        sitekey: SITEKEY,
        action: 'sign-up',
        proof: '1',
      })
      if (issued.status !== 200) return undefined
      const { challenge, work } = issued.body as unknown as ChallengeAnswer
      const request = {
        challenge,
        solution: await by.solve(challenge, work),
        signals: JSON.stringify({ ...someone(), proof: await prove(challenge) }),
      }
      const solved = await ask(solveAt, 'solve', request)
      if (solved.status !== 200) return undefined
      const { token } = solved.body as unknown as SolveAnswer
      const visit: Visit = { challenge, request, tokens: [token], accepted: 0, bodies: 1 }
      visits.push(visit)
      return visit
    },
    /** Asks with the same body again: another token with the same id. */
    async renew(visit: Visit, url: string) {
      const again = await ask(url, 'solve', visit.request)
      if (again.status === 200) visit.tokens.push((again.body as unknown as SolveAnswer).token)
    },
    /** Asks with other signals: must be refused. */
    async regrind(visit: Visit, url: string) {
      const shown = JSON.parse(visit.request.signals) as { input: object }
      const signals = JSON.stringify({
        ...shown,
        input: { ...shown.input, keys: 100 + visit.tokens.length },
      })
      const other = await ask(url, 'solve', { ...visit.request, signals })
      if (other.status === 200) visit.bodies++
    },
    async spend(visit: Visit, url: string, token = visit.tokens[0]!) {
      const fields = { secret: SECRET, response: token, action: 'sign-up', remoteip: VISITOR_IP }
      const answer = await ask(url, 'siteverify', fields)
      if (answer.body['success'] === true) visit.accepted++
      return answer
    },
  }
}

/** What was asked and answered between two moments. */
export const between = ({ answers }: Books, from: number, to: number): readonly Answer[] =>
  answers.filter(({ at, ms }) => at > from && at + ms < to)

/** What was asked since, and got a 5xx or no answer. */
export const failedSince = ({ answers }: Books, since: number): readonly Answer[] =>
  answers.filter(({ at, status }) => at > since && (status === 0 || status >= 500))

export const codes = (answers: readonly Answer[]): Set<string> =>
  new Set(answers.map(({ code }) => code))
export const statuses = (answers: readonly Answer[]): Set<number> =>
  new Set(answers.map(({ status }) => status))
/** Milliseconds. */
export const longest = (answers: readonly Answer[]): number =>
  Math.max(...answers.map(({ ms }) => ms))
