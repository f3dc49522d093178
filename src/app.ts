import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Assets, assets } from './http/assets.ts'
import { takeBody } from './http/body.ts'
import { clientAddress, trustedRanges } from './http/client-address.ts'
import { handler, health, siteverifyAnswer } from './http/handlers.ts'
import type { App, Handler } from './http/messages.ts'
import { overload } from './http/overload.ts'
import { requestLog } from './http/request-log.ts'
import {
  answerFaults,
  appOf,
  crossOrigin,
  exactRouter,
  noStore,
  notFound,
  onlyMethods,
  readable,
  varyOrigin,
} from './http/router.ts'
import type { Log, Meters, Readiness } from './domain/observing.ts'
import type {
  Agents,
  Clock,
  History,
  Ledger,
  Limiter,
  Networks,
  Random,
  Sites,
} from './domain/ports.ts'
import type { OpenPass, Tokens } from './claims/tokens.ts'
import { issueChallenge } from './operations/issue-challenge.ts'
import { solveChallenge } from './operations/solve-challenge.ts'
import { verifyResponse } from './operations/verify-response.ts'
import { verdictCode } from './claims/verdict.ts'

/** Dependencies of the application. */
export interface AppParts {
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

/** The paths that `createApp` answers, the names of the assets apart. */
const PATHS = /^\/(?:health|api\/v1\/(?:challenge|solve|siteverify)|assets\/([\w.-]+))(?:\?|$)/

/** Makes the application part of another one: other requests go on without any of our headers. */
export const mounted =
  (app: App, named: Assets) =>
  (req: IncomingMessage, res: ServerResponse, next?: () => void): void => {
    const [isOurs, asset] = PATHS.exec(req.url ?? '') ?? []
    if (next && (isOurs === undefined || (asset !== undefined && !named.has(asset)))) next()
    else app(req, res)
  }

/** Builds the application, which does not listen yet: the table of routes and their middleware. */
export function createApp(parts: AppParts): App {
  const trusts = trustedRanges(parts.trustedProxies)
  const front = { ...parts, trusts }
  const logged = requestLog({
    ...parts,
    trusts,
    clientAddress: clientAddress(trusts, parts.clientIpHeader, parts.log),
  })
  const router = exactRouter()
  router
    .route('/assets/:name')
    .get(crossOrigin, assets(parts.assets))
    .all(logged('other'), onlyMethods('GET, HEAD'))
  router.use(noStore)

  // From the customer's server: no CORS headers, ever. 200 says "judged", not "accepted".
  const siteverify = handler('siteverify', verifyResponse(parts), front, (verdict) => [
    verdictCode(verdict),
    siteverifyAnswer(verdict),
  ])
  router
    .route('/api/v1/siteverify')
    .post(logged('siteverify'), ...takeBody, siteverify)
    .all(logged('other'), onlyMethods('POST'))
  const { solve, refuseRepeat } = solveChallenge(parts)
  const pageHandlers: Readonly<Record<string, Handler>> = {
    challenge: handler('challenge', issueChallenge(parts), front, (answer) => ['issued', answer]),
    solve: handler('solve', solve, front, (answer) => ['solved', answer], refuseRepeat),
  }
  for (const [name, handle] of Object.entries(pageHandlers)) {
    router
      .route(`/api/v1/${name}`)
      .all(crossOrigin, varyOrigin, readable)
      .post(logged(name), ...takeBody, handle)
      .all(logged('other'), onlyMethods('POST'))
  }
  router
    .route('/health')
    .get(health(parts.readiness))
    .all(logged('other'), onlyMethods('GET, HEAD'))
  router.use(logged('other'), notFound)
  router.use(answerFaults(parts.log))
  return overload(appOf(router), parts)
}
