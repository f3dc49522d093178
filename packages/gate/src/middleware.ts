/** `@human-verification/gate`: the same check and page in a program of your own, without a proxy. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { clearances } from './clearances.ts'
import { type Answer, FORBIDDEN, gatekeeper } from './gatekeeper.ts'
import { createLog } from './log.ts'
import { createMeters } from './meters.ts'
import { readSettings } from './read-settings.ts'
import { assetOf, bodyOf, send } from './serve.ts'
import { hostOf } from './visit.ts'

export interface GateOptions {
  /** A configuration of `hv-gate serve`; its `listen`, `ops_listen` and `trusted_proxies` do not count. */
  readonly config: string
  /** Whether browsers reach you by https, whatever reaches this program. */
  readonly isSecure: boolean
}
interface Asked {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly address: string | undefined
  readonly body: () => Promise<string>
}
type NodeRequest = IncomingMessage & { readonly originalUrl?: string; readonly ip?: string | undefined }

/**
 * Makes the gate for a program. Mount it before everything else, body parsers too: it reads the body of `POST /.hv/pass`.
 *
 * @throws {SettingsError} at once, when the configuration is wrong.
 */
export function gate({ config, isSecure }: GateOptions) {
  const settings = readSettings(config)
  const log = createLog(settings.log_level, (line) => process.stdout.write(line))
  const meters = createMeters()
  const keeper = gatekeeper(settings, { clearances: clearances(settings.keys), meters, log })

  /** @returns undefined: the visitor is let in. */
  async function answer({ body, ...asked }: Asked): Promise<Answer | undefined> {
    const visit = { ...asked, host: hostOf(asked.headers.host), isSecure }
    const asset = assetOf(visit.target)
    if (asset !== undefined) return keeper.own(visit, asset, asset === 'pass' ? await body() : '')
    const decision = await keeper.check(visit)
    return 'clearance' in decision ? undefined : (decision.answer?.() ?? FORBIDDEN)
  }
  async function handle(req: NodeRequest, res: ServerResponse, next: () => void, address = req.ip): Promise<void> {
    const { method = 'GET', originalUrl: target = req.url!, headers } = req
    const given = await answer({ method, target, headers, address, body: () => bodyOf(req) })
    if (given) send(res, given)
    else next()
  }
  return {
    /** Counts of this gate, for Prometheus. */
    registry: meters.registry,
    /** `app.use(express)`; set `trust proxy`, so that `req.ip` is the visitor's address. */
    express: (req: NodeRequest, res: ServerResponse, next: () => void) => void handle(req, res, next),
    /** `app.addHook('onRequest', fastify)`; set `trustProxy`. */
    fastify: (req: { raw: NodeRequest; ip: string }, reply: { raw: ServerResponse }, done: () => void) =>
      void handle(req.raw, reply.raw, done, req.ip),
    /** `app.use(hono((c) => getConnInfo(c).remote.address))`. @param addressOf the visitor's address. */
    hono:
      <C extends { readonly req: { readonly raw: Request } }>(addressOf: (context: C) => string | undefined) =>
      async (context: C, next: () => Promise<void>): Promise<Response | void> => {
        const { raw } = context.req
        const { pathname, search, host } = new URL(raw.url)
        const headers = { host, ...Object.fromEntries(raw.headers) }
        const asked = { method: raw.method, target: pathname + search, headers }
        const given = await answer({ ...asked, address: addressOf(context), body: () => raw.text() })
        return given ? new Response(given.body || null, given) : next()
      },
  }
}
