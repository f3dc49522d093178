import { pause } from '../stand/processes.mjs'
import { chrome, post } from './wire.mjs'
import { workFor } from './worker.mjs'

/** Calls an operation of the service from an address, with a browser's headers. */
export const call = ({ url, page }, operation, fields, { address, headers = chrome }) =>
  post(`${url}/api/v1/${operation}`, fields, [...headers(page), ['X-Forwarded-For', address]])

/** Asks for a challenge with a proof; `more`: other fields of the request. */
export const askFor = ({ sitekey, action, ...service }, address, more = {}, headers = chrome) =>
  call(service, 'challenge', { sitekey, action, proof: 1, ...more }, { address, headers })

/**
 * Asks, works, solves, and hands the token to the customer. The aide is the parent process: it holds the service's key for the
 * answers, and it is the customer. `stepUp` of the result is the ticket that siteverify gives with a low score.
 *
 * An attempt has the `address` that asks for the challenge, and `solveAt` another that solves it; `headers`, and `solveAs` others
 * of the solve; the `summary` of some work and some milliseconds; its `patience`, milliseconds from the challenge to the solve,
 * and `claims`, the milliseconds that its hands are invented for instead; the `share` of the work that is done; an `algorithm`; what becomes of the
 * `proof`: 'answered' (the default), 'absent', 'wrong' or a function; `wants`, whether a challenge is worth the work; the
 * `ticket` of a low score before; and the `deadline` of `performance.now()` after which no work is begun.
 */
export async function visit(service, aide, attempt) {
  const { address, headers = chrome, solveAt = address, solveAs = headers, ticket } = attempt
  const challenge = await askFor(service, address, askedBy(attempt), headers)
  const began = performance.now()
  if (challenge.status !== 200) return refused(challenge)
  const { body } = challenge
  if (!isWanted(attempt, body, began)) return { accepted: false, passedOver: true }

  const signals = await signalsOf(attempt, body, aide)
  const solution = await workFor(body.challenge, body.work, attempt.share ?? 1)
  await pause(Math.max(0, waitOf(attempt, body.work) - (performance.now() - began)))
  const told = { solution, signals: JSON.stringify(signals), ...(ticket && { ticket }) }
  const fields = { challenge: body.challenge, ...told }
  const solved = await call(service, 'solve', fields, { address: solveAt, headers: solveAs })
  if (solved.status !== 200) return { ...refused(solved), n: body.work.n }
  const verdict = await aide.verify(solved.body.token)
  return {
    accepted: verdict.success === true,
    score: verdict.score,
    code: verdict['error-codes']?.[0],
    n: body.work.n,
    challenge: body.challenge,
    stepUp: verdict.step_up,
  }
}

const askedBy = ({ algorithm, ticket }) => ({
  ...(algorithm && { algorithm }),
  ...(ticket && { ticket }),
})

/** Reports whether the challenge is worth its work, and there is time for it. */
const isWanted = ({ wants, deadline = Infinity }, { work, proof }, now) =>
  wants?.(work, proof) !== false && now < deadline

/** Milliseconds from the challenge to the solve. A part is taken once its time is over: the server's clock counts whole seconds. */
const waitOf = ({ patience, share = 1 }, work) => Math.max(patience, share < 1 ? work.b : 0)

/** Returns the signals that go with the solution, with the answers of the proof. */
async function signalsOf(attempt, { challenge, work, proof }, aide) {
  const answers = await answersOf(attempt.proof ?? 'answered', { challenge, proof }, aide)
  const summary = attempt.summary(work, attempt.claims ?? waitOf(attempt, work))
  return summary ? { ...summary, ...(answers && { proof: answers }) } : {}
}

/** Seconds for which the widget waits its turn. */
const PATIENCE = 120

/** A visit that waits its turn as the widget does, up to a quarter longer than it is told; `waited`: seconds. */
export async function patientVisit(service, aide, attempt) {
  let waited = 0
  for (;;) {
    const result = await visit(service, aide, attempt)
    if (!result.wait || waited + result.wait > PATIENCE) return { ...result, waited }
    const seconds = result.wait * (1 + Math.random() / 4)
    waited += seconds
    await pause(seconds * 1000)
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
