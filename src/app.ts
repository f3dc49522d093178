import type { Express, RequestHandler } from 'express'
import { type Assets, assets } from './http/assets.ts'
import { takeFields } from './http/body.ts'
import { clientAddress, trustedRanges } from './http/client-address.ts'
import { crossOrigin, readable, varyOrigin } from './http/cors.ts'
import { answerFaults, expressApp, noStore, notFound, onlyMethods } from './http/express-app.ts'
import { health, operation, siteverifyAnswer } from './http/operations.ts'
import { overload } from './http/overload.ts'
import { requestLog } from './http/request-log.ts'
import type { Log, Meters, Readiness } from './domain/observing.ts'
import type { Agents, Clock, History, Ledger, Limiter, Networks, Random, Sites } from './domain/stores.ts'
import type { OpenPass, Tokens } from './claims/tokens.ts'
import { issueChallenge } from './operations/issue-challenge.ts'
import { solveChallenge } from './operations/solve-challenge.ts'
import { verifyResponse } from './operations/verify-response.ts'
import { verdictCode } from './claims/verdict.ts'

/** Dependencies of the application. */
export interface Parts {
  readonly sites: Sites
  readonly tokens: Tokens
  readonly openPass: OpenPass
  readonly ledger: Ledger
  readonly limiter: Limiter
  readonly history: History
  readonly networks: Networks
  /** If omitted: none are configured. */
  readonly agents?: Agents | undefined
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly meters: Meters
  readonly readiness: Readiness
  readonly assets: Assets
  /** CIDR ranges of the proxies whose forwarded address is trusted. */
  readonly trustedProxies: readonly string[]
  /** Header in which our own proxies pass the JA4 of the visitor's TLS. */
  readonly tlsFingerprintHeader?: string | undefined
  /** Header in which trusted proxies pass the visitor's address, lowercase. */
  readonly clientIpHeader: string
}

/** Builds the application, which does not listen yet: the table of routes and their middleware. */
export function createApp(parts: Parts): Express {
  const trusts = trustedRanges(parts.trustedProxies)
  const front = { ...parts, trusts }
  const logged = requestLog({ ...parts, trusts, clientAddress: clientAddress(trusts, parts.clientIpHeader, parts.log) })
  const busy = overload((requests) => {
    parts.meters.shed(requests)
    parts.log.warn('overload: requests refused', { detail: `${requests} refused in a second` })
  })
  const app = expressApp()
  app.route('/assets/:name').get(crossOrigin, assets(parts.assets)).all(logged('other'), onlyMethods('GET, HEAD'))
  app.use(noStore)

  // From the customer's server: no CORS headers, ever. 200 says "judged", not "accepted".
  const siteverify = operation('siteverify', verifyResponse(parts), front, (verdict) => [
    verdictCode(verdict),
    siteverifyAnswer(verdict),
  ])
  app
    .route('/api/v1/siteverify')
    .post(busy, logged('siteverify'), ...takeFields, siteverify)
    .all(logged('other'), onlyMethods('POST'))
  const pageOperations: Readonly<Record<string, RequestHandler>> = {
    challenge: operation('challenge', issueChallenge(parts), front, (answer) => ['issued', answer]),
    solve: operation('solve', solveChallenge(parts), front, (answer) => ['solved', answer]),
  }
  for (const [name, handler] of Object.entries(pageOperations)) {
    app
      .route(`/api/v1/${name}`)
      .all(crossOrigin, varyOrigin, readable)
      .post(busy, logged(name), ...takeFields, handler)
      .all(logged('other'), onlyMethods('POST'))
  }
  app.route('/health').get(health(parts.readiness)).all(logged('other'), onlyMethods('GET, HEAD'))
  app.use(logged('other'), notFound)
  app.use(answerFaults(parts.log))
  return app
}
