import type { RequestHandler } from 'express'
import { Fault } from '../../domain/codes.ts'
import { verdictCode } from '../../domain/verdict.ts'
import type { Readiness } from '../../ports/observing.ts'
import type { Sites } from '../../ports/stores.ts'
import type { IssueChallenge } from '../../protocol/issue-challenge.ts'
import type { SolveChallenge } from '../../protocol/solve-challenge.ts'
import type { VerifyResponse } from '../../protocol/verify-response.ts'
import type { ChallengeRequest, HealthAnswer, SiteverifyRequest, SolveRequest } from '../../wire.ts'
import { answerVerdict, sendJson } from './answer.ts'
import { readFields } from './body.ts'
import { callerOf, type Front, NO_FRONT } from './caller.ts'
import { allowReader, allowRefusedReader } from './cors.ts'
import { withinOperation, timeLeft } from './deadline.ts'
import { headOf } from './response-head.ts'
import { note } from './request-log.ts'
import type { Parse } from './requests.ts'

interface Page extends Front {
  readonly sites: Sites
}

/** POST /api/v1/challenge, from the page. */
export function challenge(parse: Parse<ChallengeRequest>, issue: IssueChallenge, page: Page): RequestHandler {
  return async (req, res) => {
    const fields = readFields(req.get('content-type'), req.body)
    const sitekey = fields.get('sitekey')
    // Now that the site is named, its own pages only.
    allowReader(headOf(res), req.get('origin'), page.sites, typeof sitekey === 'string' ? sitekey : undefined)
    const issued = issue(parse(fields), callerOf(req, res, page)).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'hostname-not-allowed') {
        note(res, { hostname: allowRefusedReader(headOf(res), req.get('origin')) })
      }
      throw error
    })
    const answer = await withinOperation(issued, timeLeft(res))
    note(res, { code: 'issued' })
    sendJson(res, 200, answer)
  }
}

/** POST /api/v1/solve, from the page. */
export function solve(parse: Parse<SolveRequest>, solveChallenge: SolveChallenge, front: Front): RequestHandler {
  return async (req, res) => {
    const request = parse(readFields(req.get('content-type'), req.body))
    const answer = await withinOperation(solveChallenge(request, callerOf(req, res, front)), timeLeft(res))
    note(res, { code: 'solved' })
    sendJson(res, 200, answer)
  }
}

/** POST /api/v1/siteverify, from the customer's server. 200 says "judged", not "accepted". No CORS headers, ever. */
export function siteverify(parse: Parse<SiteverifyRequest>, verify: VerifyResponse): RequestHandler {
  return async (req, res) => {
    const request = parse(readFields(req.get('content-type'), req.body))
    const verdict = await withinOperation(verify(request, callerOf(req, res, NO_FRONT)), timeLeft(res))
    note(res, { code: verdictCode(verdict) })
    sendJson(res, 200, answerVerdict(verdict))
  }
}

/** GET /health. Says what is known already, so it answers at once whatever hangs. */
export function health(readiness: Readiness, testMode = false): RequestHandler {
  const mode = testMode ? ({ test: true } as const) : {}
  return (_req, res) => {
    const code = readiness.fault()
    const answer: HealthAnswer = code
      ? { status: 'unavailable', 'error-codes': [code], ...mode }
      : { status: 'ok', ...mode }
    if (code) headOf(res)['Retry-After'] = 1
    sendJson(res, code ? 503 : 200, answer)
  }
}
