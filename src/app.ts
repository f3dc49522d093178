import { type Assets, assets } from './http/assets.ts'
import { clientAddress, trustedRanges, trustProxies } from './http/client-address.ts'
import { handler, health, siteverifyResult } from './http/handlers.ts'
import type { App } from './http/messages.ts'
import { pathOf, SCRIPTS, SHAPES, vendorSiteverify } from './http/vendor-shapes.ts'
import { overload } from './http/overload.ts'
import { requestLog } from './http/request-log.ts'
import {
  crossOrigin,
  endApplication,
  exactApplication,
  noStore,
  onlyMethods,
  readable,
  varyOrigin,
} from './http/application.ts'
import { ASSETS, HEALTH, OPERATIONS } from './wire.ts'
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
  /** Whether siteverify also answers on the paths, and in the fields, of other services. */
  readonly vendorPaths: boolean
  /** CIDR ranges of the proxies whose forwarded address is trusted. */
  readonly trustedProxies: readonly string[]
  /** Header in which our own proxies pass the JA4 of the visitor's TLS. */
  readonly tlsFingerprintHeader?: string | undefined
  /** Header in which trusted proxies pass the visitor's address, lowercase. */
  readonly clientIpHeader: string
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
  const app = exactApplication()
  trustProxies(app, trusts, parts.clientIpHeader)
  app
    .route(`${ASSETS}:name`)
    .get(crossOrigin, assets(parts.assets))
    .all(logged('other'), onlyMethods('GET, HEAD'))
  for (const script of parts.vendorPaths ? SCRIPTS : [])
    app
      .route(script)
      .get(crossOrigin, assets(parts.assets, 'compat.js'))
      .all(logged('other'), onlyMethods('GET, HEAD'))
  app.use(noStore)

  // From the customer's server: no CORS headers, ever. 200 says "judged", not "accepted".
  const judge = verifyResponse(parts)
  const verify = { perform: judge, said: siteverifyResult }
  app
    .route(OPERATIONS.siteverify.path)
    .post(logged('siteverify'), handler('siteverify', verify, front))
    .all(logged('other'), onlyMethods('POST'))
  const issue = { perform: issueChallenge(parts), said: saidAs('issued') }
  const { solve, refuseRepeat } = solveChallenge(parts)
  const exchange = { perform: solve, said: saidAs('solved'), before: refuseRepeat }
  const pageHandlers = {
    challenge: handler('challenge', issue, front),
    solve: handler('solve', exchange, front),
  }
  for (const name of ['challenge', 'solve'] as const) {
    app
      .route(OPERATIONS[name].path)
      .all(crossOrigin, varyOrigin, readable)
      .post(logged(name), pageHandlers[name])
      .all(logged('other'), onlyMethods('POST'))
  }
  for (const shape of parts.vendorPaths ? Object.values(SHAPES) : [])
    app
      .route(pathOf(shape))
      .post(logged('siteverify'), ...vendorSiteverify(shape, judge, front))
      .all(logged('other'), onlyMethods('POST'))
  app.route(HEALTH.path).get(health(parts.readiness)).all(logged('other'), onlyMethods('GET, HEAD'))
  return overload(endApplication(app, parts.log, logged('other')), parts)
}

const saidAs =
  (code: string) =>
  (answer: object): readonly [code: string, answer: object] => [code, answer]
