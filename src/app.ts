import type { RequestListener } from 'node:http'
import { faultAnswers } from './http/api/answer.ts'
import { type Assets, assets } from './http/api/assets.ts'
import { noticeUnreadable } from './http/api/client-ip.ts'
import { takeBody } from './http/api/body.ts'
import { preflight, readable } from './http/api/cors.ts'
import { apiHeaders, assetHeaders, pageHeaders } from './http/api/security-headers.ts'
import { late } from './http/api/delay-for-tests.ts'
import { messageClasses } from './http/fast-path/message-classes.ts'
import { logRequest } from './http/api/request-log.ts'
import { challenge, health, siteverify, solve } from './http/api/operations.ts'
import { parseChallenge, parseSiteverify, parseSolve } from './http/api/requests.ts'
import type { MessageClasses } from './http/server/listen.ts'
import { addRoutes, bareApp, type Route } from './http/server/routes.ts'
import { fastPath } from './http/fast-path/fast-path.ts'
import type { Log, Meters, Readiness } from './ports/observing.ts'
import type { Agents, Clock, History, Ledger, Limiter, Networks, Random, Sites } from './ports/stores.ts'
import type { Passes, Tokens } from './ports/tokens.ts'
import { issueChallenge } from './protocol/issue-challenge.ts'
import { solveChallenge } from './protocol/solve-challenge.ts'
import { verifyResponse } from './protocol/verify-response.ts'
import { lateness, rehearseChallenge, rehearseSiteverify } from './scenarios/rehearse.ts'

/** Everything the application asks the outside for. */
export interface Parts {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly passes: Passes
  readonly ledger: Ledger
  readonly limiter: Limiter
  readonly history: History
  readonly networks: Networks
  /** Left out: none are configured. */
  readonly agents?: Agents | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly meters: Meters
  readonly readiness: Readiness
  /** Left out: nobody looks for them. */
  readonly assets: Assets
  /** CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  readonly publicUrl: string | undefined
  /** In which our own proxies pass on the JA4 of the visitor's TLS. */
  readonly tlsFingerprintHeader: string | undefined
  /** In which trusted proxies pass on the visitor's address, lowercase; left out: X-Forwarded-For. */
  readonly clientIpHeader?: string | undefined
  /** Plays scenarios, and protects nothing. docs/start/testing.md */
  readonly testMode: boolean
  /** Milliseconds that only go forward, for the log. */
  readonly elapsed: () => number
}

/** What a listener needs to serve the application. */
export interface App {
  readonly serve: RequestListener
  readonly messages: MessageClasses
  /** Whether a peer is one of `trustedProxies`. */
  readonly trusts: (peer: string) => boolean
}

/** The whole service, not listening: the table of what can be asked, and through what it goes. */
export function createApp(parts: Parts): App {
  const { log, testMode } = parts
  const app = bareApp(parts.trustedProxies, parts.clientIpHeader)
  const unreadable = noticeUnreadable(log, parts.clientIpHeader ?? 'x-forwarded-for')
  const logged = (operation: string) => logRequest(operation, { ...parts, unreadable })
  const issue = issueChallenge(parts)
  const verify = verifyResponse(parts)
  const page = [...pageHeaders, readable(parts.sites)]
  const body = testMode ? [takeBody, late((fields) => lateness((name) => fields.get(name)))] : [takeBody]

  const routes: readonly Route[] = [
    {
      method: 'POST',
      path: '/api/v1/siteverify',
      steps: [
        logged('siteverify'),
        ...apiHeaders,
        ...body,
        siteverify(parseSiteverify(), testMode ? rehearseSiteverify(verify, parts) : verify),
      ],
    },
    {
      method: 'POST',
      path: '/api/v1/challenge',
      steps: [
        logged('challenge'),
        ...page,
        ...body,
        challenge(parseChallenge(), testMode ? rehearseChallenge(issue) : issue, parts),
      ],
    },
    {
      method: 'POST',
      path: '/api/v1/solve',
      steps: [logged('solve'), ...page, takeBody, solve(parseSolve(), solveChallenge(parts), parts)],
    },
    { method: 'GET', path: '/health', steps: [...apiHeaders, health(parts.readiness, testMode)] },
    { method: 'GET', path: '/assets/:name', steps: [assetHeaders, assets(parts.assets)] },
  ]
  app.options(['/api/v1/challenge', '/api/v1/solve'], preflight(parts.sites))
  addRoutes(app, routes, [logged('other'), ...apiHeaders])
  const faults = faultAnswers(log)
  app.use(faults)
  const messages = messageClasses(app)
  // Express sets the prototypes where they are not right from birth.
  const serve = messages.IncomingMessage ? fastPath(app, routes, faults) : app
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean
  return { serve, messages, trusts: (peer) => trusts(peer, 0) }
}
