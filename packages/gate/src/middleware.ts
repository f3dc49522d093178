/** `@human-verification/gate`: the same check and page in a program of your own, without a proxy. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Answer, FORBIDDEN } from './answers.ts'
import { Gatekeeper } from './gatekeeper.ts'
import { KeyDirectories } from './key-directories.ts'
import { send } from './listener.ts'
import { createLog } from './log.ts'
import { createMeters } from './meters.ts'
import { directoriesOf, readSettings } from './read-settings.ts'
import { assetOf, hostOf, originOf, type Visit } from './visit.ts'

export interface GateOptions {
  /** A configuration of `hv-gate serve`; its `listen`, `ops_listen` and `trusted_proxies` do not count. */
  readonly config: string
  /** Whether browsers reach you by https, whatever reaches this program. */
  readonly isSecure: boolean
}
/** A request of Node.js, perhaps as Express extends it. */
type NodeRequest = IncomingMessage & {
  readonly originalUrl?: string
  readonly ip?: string | undefined
  readonly hostname?: string | undefined
}
/** What Fastify gives to its hooks. */
interface FastifyRequest {
  readonly raw: NodeRequest
  readonly ip: string
  readonly hostname?: string
}
type Next = (error?: unknown) => void

/** A request as a framework has read it. */
interface FrameworkRequest extends Omit<Visit, 'isSecure' | 'host' | 'origin'> {
  /** What the program may take for the name of the site. */
  readonly names: readonly (string | undefined)[]
}

/** Returns the name in an absolute request line (RFC 9112, 3.2.2), which a program may prefer to the Host header. */
const nameInTarget = (target: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]

/** HTTP/2 has no Host, but a pseudo-header in its place (RFC 9113, 8.3.1). */
const hostHeaderOf = (headers: IncomingHttpHeaders): string | undefined => {
  const { ':authority': authority } = headers
  return headers.host ?? (typeof authority === 'string' ? authority : undefined)
}

/** Makes a gate, to mount before everything else, body parsers too: it reads `POST /.hv/pass`. @throws {SettingsError} */
export function gate({ config, isSecure }: GateOptions) {
  const settings = readSettings(config)
  const meters = createMeters()
  const log = createLog(settings.log_level, (line) => process.stdout.write(line))
  const directories = new KeyDirectories()
  void directories.follow(directoriesOf(settings), log)
  const keeper = new Gatekeeper(settings, directories, meters, log)

  /** @returns undefined: the visitor is let in. */
  async function answer(
    { names, ...request }: FrameworkRequest,
    body: () => Promise<string>,
  ): Promise<Answer | undefined> {
    const [host = '', ...others] = new Set(names.filter((name) => name !== undefined).map(hostOf))
    // The program could show one site where the gate goes by the policy of another.
    if (others.length > 0) return FORBIDDEN
    const origin = originOf(isSecure, hostHeaderOf(request.headers))
    const visit = { ...request, host, origin, isSecure }
    const asset = assetOf(visit.target)
    if (asset !== undefined) return keeper.own(visit, asset, body)
    const decision = await keeper.check(visit)
    return 'clearance' in decision ? undefined : decision.answer()
  }
  function handle(
    req: NodeRequest,
    res: ServerResponse,
    goOn: Next,
    { ip: address, hostname }: Pick<NodeRequest, 'ip' | 'hostname'>,
  ): void {
    const { method = 'GET', originalUrl: target = req.url!, headers } = req
    const names = [hostHeaderOf(headers), nameInTarget(target), hostname]
    const request = { method, target, names, address, headers }
    answer(request, () => text(req)).then(
      (refusal) => (refusal ? send(res, refusal) : goOn()),
      goOn,
    )
  }
  return {
    /** Counts of this gate, for Prometheus. */
    registry: meters.registry,
    /** `app.use(express)`; set `trust proxy`, so that `req.ip` is the visitor's address. */
    express: (req: NodeRequest, res: ServerResponse, next: Next) => handle(req, res, next, req),
    /** `app.addHook('onRequest', fastify)`; set `trustProxy`. */
    fastify: (req: FastifyRequest, reply: { raw: ServerResponse }, done: Next) =>
      handle(req.raw, reply.raw, done, req),
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
        const request = {
          method: raw.method,
          target,
          names: [host, headers.host],
          address: addressOf(context),
          headers,
        }
        const refusal = await answer(request, () => raw.text())
        return refusal ? new Response(refusal.body || null, refusal) : next()
      },
  }
}
