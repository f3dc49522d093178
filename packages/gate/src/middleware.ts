/** `@human-verification/gate`: the same check and page in a program of your own, without a proxy. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Answer, gatekeeper } from './gatekeeper.ts'
import { createLog } from './log.ts'
import { createMeters } from './meters.ts'
import { readSettings } from './read-settings.ts'
import { assetOf, send } from './serve.ts'
import { hostOf, type Visit } from './visit.ts'

export interface GateOptions {
  /** A configuration of `hv-gate serve`; its `listen`, `ops_listen` and `trusted_proxies` do not count. */
  readonly config: string
  /** Whether browsers reach you by https, whatever reaches this program. */
  readonly isSecure: boolean
}
type NodeRequest = IncomingMessage & {
  readonly originalUrl?: string
  readonly ip?: string | undefined
}
type Next = (error?: unknown) => void

/** Makes a gate, to mount before everything else, body parsers too: it reads `POST /.hv/pass`. @throws {SettingsError} */
export function gate({ config, isSecure }: GateOptions) {
  const settings = readSettings(config)
  const meters = createMeters()
  const log = createLog(settings.log_level, (line) => process.stdout.write(line))
  const keeper = gatekeeper(settings, meters, log)

  /** @returns undefined: the visitor is let in. */
  async function answer(
    asked: Omit<Visit, 'isSecure'>,
    body: () => Promise<string>,
  ): Promise<Answer | undefined> {
    const visit = { ...asked, host: hostOf(asked.host), isSecure }
    const asset = assetOf(visit.target)
    if (asset !== undefined) return keeper.own(visit, asset, body)
    const decision = keeper.check(visit)
    return 'clearance' in decision ? undefined : decision.answer()
  }
  function handle(req: NodeRequest, res: ServerResponse, goOn: Next, address = req.ip): void {
    const { method = 'GET', originalUrl: target = req.url!, headers } = req
    const asked = { method, target, host: headers.host ?? '', address, headers }
    answer(asked, () => text(req)).then((given) => (given ? send(res, given) : goOn()), goOn)
  }
  return {
    /** Counts of this gate, for Prometheus. */
    registry: meters.registry,
    /** `app.use(express)`; set `trust proxy`, so that `req.ip` is the visitor's address. */
    express: (req: NodeRequest, res: ServerResponse, next: Next) => handle(req, res, next),
    /** `app.addHook('onRequest', fastify)`; set `trustProxy`. */
    fastify: (req: { raw: NodeRequest; ip: string }, reply: { raw: ServerResponse }, done: Next) =>
      handle(req.raw, reply.raw, done, req.ip),
    /** `app.use(hono((c) => getConnInfo(c).remote.address))`. @param addressOf the visitor's address. */
    hono:
      <C extends { readonly req: { readonly raw: Request } }>(
        addressOf: (context: C) => string | undefined,
      ) =>
      async (context: C, next: () => Promise<void>): Promise<Response | void> => {
        const { raw } = context.req
        // As Hono routes it: `URL` would resolve the dots of a path.
        const [, host = '', target = '/'] = /^\w+:\/\/([^/?#]*)(.*)$/s.exec(raw.url) ?? []
        const headers = { host, ...Object.fromEntries(raw.headers) }
        const asked = {
          method: raw.method,
          target,
          host: headers.host,
          address: addressOf(context),
          headers,
        }
        const given = await answer(asked, () => raw.text())
        return given ? new Response(given.body || null, given) : next()
      },
  }
}
