import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Assets, assets } from './http/assets.ts'
import { takeBody } from './http/body.ts'
import { clientAddress, trustedRanges, trustProxies } from './http/client-address.ts'
import { handler, health, siteverifyAnswer } from './http/handlers.ts'
import type { App } from './http/messages.ts'
import { overload } from './http/overload.ts'
import { requestLog } from './http/request-log.ts'
import {
  crossOrigin,
  exactApplication,
  noStore,
  notFound,
  onlyMethods,
  readable,
  varyOrigin,
} from './http/application.ts'
import { answerFaults } from './http/faults.ts'
import { HEALTH, OPERATIONS } from './wire.ts'
import type { Log, Meters, Readiness } from './domain/observing.ts'
import type { Agents, Clock, History, Ledger, Limiter, Networks, Random, Sites } from './domain/stores.ts'
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

const ASSETS = '/assets/'
const ADDRESSES: ReadonlySet<string> = new Set([HEALTH, ...Object.values(OPERATIONS)].map(({ path }) => path))

/** Makes the application part of another one: other requests go on without any of our headers. */
export const mounted =
  (app: App, named: Assets) =>
  (req: IncomingMessage, res: ServerResponse, next?: () => void): void => {
    const [path = ''] = (req.url ?? '').split('?', 1)
    const isOurs = ADDRESSES.has(path) || (path.startsWith(ASSETS) && named.has(path.slice(ASSETS.length)))
    if (next && !isOurs) next()
    else app(req, res)
  }

/** Builds the application, which does not listen yet: the table of routes and their middleware. */
export function createApp(parts: AppParts): App {
  const trusts = trustedRanges(parts.trustedProxies)
  const front = { ...parts, trusts }
  const logged = requestLog({ ...parts, trusts, clientAddress: clientAddress(trusts, parts.clientIpHeader, parts.log) })
  const app = exactApplication()
  trustProxies(app, trusts, parts.clientIpHeader)
  app.route(`${ASSETS}:name`).get(crossOrigin, assets(parts.assets)).all(logged('other'), onlyMethods('GET, HEAD'))
  app.use(noStore)

  // From the customer's server: no CORS headers, ever. 200 says "judged", not "accepted".
  const siteverify = handler('siteverify', verifyResponse(parts), front, (verdict) => [
    verdictCode(verdict),
    siteverifyAnswer(verdict),
  ])
  app
    .route(OPERATIONS.siteverify.path)
    .post(logged('siteverify'), ...takeBody, siteverify)
    .all(logged('other'), onlyMethods('POST'))
  const { solve, refuseRepeat } = solveChallenge(parts)
  const pageHandlers = {
    challenge: handler('challenge', issueChallenge(parts), front, (answer) => ['issued', answer]),
    solve: handler('solve', solve, front, (answer) => ['solved', answer], refuseRepeat),
  }
  for (const name of ['challenge', 'solve'] as const) {
    app
      .route(OPERATIONS[name].path)
      .all(crossOrigin, varyOrigin, readable)
      .post(logged(name), ...takeBody, pageHandlers[name])
      .all(logged('other'), onlyMethods('POST'))
  }
  app.route(HEALTH.path).get(health(parts.readiness)).all(logged('other'), onlyMethods('GET, HEAD'))
  app.use(logged('other'), notFound)
  app.use(answerFaults(parts.log))
  return overload(app, parts)
}
