/** `@human-verification/gate`: the same check and page in a program of your own, without a proxy. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { clearances } from './clearances.ts'
import { type Answer, gatekeeper } from './gatekeeper.ts'
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

interface ExpressRequest extends IncomingMessage {
  readonly originalUrl?: string
  readonly ip?: string | undefined
}
interface FastifyRequest {
  readonly raw: IncomingMessage
  readonly ip: string
}
interface HonoContext {
  readonly req: { readonly raw: Request }
}
type Body = () => Promise<string>

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
  async function answer(
    method: string,
    target: string,
    headers: IncomingHttpHeaders,
    address: string | undefined,
    body: Body,
  ): Promise<Answer | undefined> {
    const host = hostOf(headers.host)
    const visit = { method, target, headers, address, host, isSecure }
    const asset = assetOf(target)
    if (asset !== undefined) return keeper.own(visit, asset, asset === 'pass' ? await body() : '')
    const decision = await keeper.check(visit)
    return 'answer' in decision ? decision.answer : undefined
  }
  async function handle(
    req: ExpressRequest,
    res: ServerResponse,
    ip: string | undefined,
    next: () => void,
  ): Promise<void> {
    const given = await answer(req.method!, req.originalUrl ?? req.url!, req.headers, ip, () => bodyOf(req))
    if (given) send(res, given)
    else next()
  }
  return {
    /** Counts of this gate, for Prometheus. */
    registry: meters.registry,
    /** `app.use(express)`; set `trust proxy`, so that `req.ip` is the visitor's address. */
    express: (req: ExpressRequest, res: ServerResponse, next: () => void) => void handle(req, res, req.ip, next),
    /** `app.addHook('onRequest', fastify)`; set `trustProxy`. */
    fastify: ({ raw, ip }: FastifyRequest, reply: { readonly raw: ServerResponse }, done: () => void) =>
      void handle(raw, reply.raw, ip, done),
    /** `app.use(hono((c) => getConnInfo(c).remote.address))`. @param addressOf the visitor's address. */
    hono:
      <C extends HonoContext>(addressOf: (context: C) => string | undefined) =>
      async (context: C, next: () => Promise<void>): Promise<Response | void> => {
        const { raw } = context.req
        const { pathname, search, host } = new URL(raw.url)
        const headers = { host, ...Object.fromEntries(raw.headers) }
        const given = await answer(raw.method, pathname + search, headers, addressOf(context), () => raw.text())
        return given ? new Response(given.body || null, given) : next()
      },
  }
}
