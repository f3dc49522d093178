import { pause } from '../stand/processes.mjs'
import { chrome, post } from './wire.mjs'
import { workFor } from './worker.mjs'

/**
 * The work of a challenge, as in its answer.
 *
 * @typedef {{ a: string, n: number, s: number, b: number }} Work
 */

/**
 * One attempt at a token.
 *
 * @typedef {object} Attempt
 * @property {string} address that asks for the challenge
 * @property {string} [solveAt] address that solves it; left out: the same
 * @property {(page: string) => import('./wire.mjs').Header[]} [headers]
 * @property {(page: string) => import('./wire.mjs').Header[]} [solveAs] headers of the solve; left out: the same
 * @property {(work: Work, ms: number) => object | undefined} summary
 * @property {number} patience milliseconds from the challenge to the solve; work is part of it
 * @property {number} [claims] milliseconds that the summary is told it has; left out: `patience`
 * @property {number} [share] of the work; left out: all
 * @property {string} [algorithm]
 * @property {'answered' | 'absent' | 'wrong' | ((proof: any, right: () => Promise<readonly (readonly number[])[]>) => Promise<readonly (readonly number[])[]>)} [proof] left out: answered
 * @property {(work: Work, proof: any) => boolean} [wants] whether the challenge is worth the work; left out: any is
 * @property {string} [renews] an earlier challenge of the same address, whose time the new one inherits
 * @property {string} [ticket] of a low score before: this is the second try
 * @property {number} [deadline] of `performance.now()`, after which no work is begun
 */

/**
 * Asks, works, solves, and hands the token to the customer.
 *
 * @param {{ url: string, page: string, sitekey: string, action: string }} service
 * @param {{ answers: (challenge: string) => Promise<readonly (readonly number[])[]>, verify: (token: string) => Promise<any> }} aide the
 *   parent process: it holds the service's key for the answers, and it is the customer
 * @param {Attempt} attempt
 * @returns {Promise<{ accepted: boolean, score?: number, code?: string, n?: number, wait?: number, challenge?: string, passedOver?: boolean, stepUp?: string }>}
 *   `stepUp`: the ticket that siteverify gives with a low score
 */
export async function visit(service, aide, attempt) {
  const { address, headers = chrome, share = 1, proof = 'answered', patience } = attempt
  const call = (operation, fields, as, at) =>
    post(`${service.url}/api/v1/${operation}`, fields, [...as(service.page), ['X-Forwarded-For', at]])
  const asked = { sitekey: service.sitekey, action: service.action, proof: 1 }
  if (attempt.algorithm) asked.algorithm = attempt.algorithm
  if (attempt.renews) asked.renews = attempt.renews
  if (attempt.ticket) asked.ticket = attempt.ticket
  const challenge = await call('challenge', asked, headers, address)
  const began = performance.now()
  if (challenge.status !== 200) return refused(challenge)
  const { work } = challenge.body
  const isWanted = attempt.wants?.(work, challenge.body.proof) !== false && began < (attempt.deadline ?? Infinity)
  if (!isWanted) return { accepted: false, passedOver: true }

  const answers = await answersOf(proof, challenge.body, aide)
  // A part is taken once its time is over: the server's clock counts whole seconds.
  const least = share < 1 ? work.b : 0
  const summary = attempt.summary(work, attempt.claims ?? Math.max(patience, least))
  const solution = await workFor(challenge.body.challenge, work, share)
  await pause(Math.max(0, Math.max(patience, least) - (performance.now() - began)))
  const signals = summary && { ...summary, ...(answers && { proof: answers }) }
  const fields = { challenge: challenge.body.challenge, solution, signals: JSON.stringify(signals ?? {}) }
  if (attempt.ticket) fields.ticket = attempt.ticket
  const solved = await call('solve', fields, attempt.solveAs ?? headers, attempt.solveAt ?? address)
  if (solved.status !== 200) return { ...refused(solved), n: work.n }
  const verdict = await aide.verify(solved.body.token)
  return {
    accepted: verdict.success === true,
    score: verdict.score,
    code: verdict['error-codes']?.[0],
    n: work.n,
    challenge: challenge.body.challenge,
    stepUp: verdict.step_up,
  }
}

async function answersOf(proof, { challenge, proof: tasks }, aide) {
  if (proof === 'absent' || !tasks) return undefined
  if (typeof proof === 'function') return proof(tasks, () => aide.answers(challenge))
  const right = await aide.answers(challenge)
  return proof === 'wrong' ? right.map((list) => list.map((n) => n + 1)) : right
}

const refused = ({ body, retryAfter, status }) => ({
  accepted: false,
  code: body['error-codes']?.[0] ?? String(status),
  wait: retryAfter,
})
