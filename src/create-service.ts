/**
 * `@human-verification/server` in a program of its customer's: the application of `hv serve`, without its listeners.
 *
 * @see docs/start/library.md
 */
import type { Registry } from 'prom-client'
import type { AppParts } from './app.ts'
import { assemble } from './assemble.ts'
import { withClosers } from './closers.ts'
import { verdictCode } from './claims/verdict.ts'
import type { Log, Notes } from './domain/observing.ts'
import { embeddedConfig } from './embedded-config.ts'
import { faultOf } from './http/faults.ts'
import { type AnyRequest, type AnyResponse, failure } from './http/messages.ts'
import { mounted } from './http/mounted.ts'
import { inTime, siteverifyAnswer } from './http/handlers.ts'
import { parser } from './http/requests.ts'
import { verifyForSite } from './operations/verify-response.ts'
import { checkPackage, packageParts, standardLog } from './package.ts'
import type { FailureAnswer, SiteverifyAnswer } from './wire.ts'

export type { FailureAnswer, Log, SiteverifyAnswer }

export interface ServiceOptions {
  /**
   * The path of a configuration, a file or a folder, which is watched and which the environment overrides as with `hv serve`; or
   * what such a file says, as an object, with paths relative to the working directory. `listen` and `ops_listen` are not used.
   */
  readonly config: string | object
  /** Gets every line of the log: a message, and fields without secrets and full addresses. If omitted: lines on standard output. */
  readonly log?: Log | undefined
  /** Gets the metrics `hv_*`. If omitted: a new one, with those of the process too. */
  readonly registry?: Registry | undefined
}

export interface VerifyRequest {
  /** What the form carried in `svc-response`. */
  readonly response: unknown
  /** The action that this handler expects: a token of another one is refused. */
  readonly action: string
  /** The sitekey; only where the configuration has several sites. */
  readonly site?: string | undefined
  /** The visitor's address, only if you can resolve it safely behind your proxies. */
  readonly remoteip?: string | null | undefined
}

export interface EmbeddedService {
  /**
   * Answers browsers below the path where it is mounted, which is the widget's `data-api-base`, over HTTP/1 and HTTP/2. Everything
   * else goes on to `next`; without one it is answered with 404.
   */
  readonly app: (req: AnyRequest, res: AnyResponse, next?: () => void) => void
  /**
   * Verifies a response token as `POST /api/v1/siteverify` does, in the same steps, without HTTP and without a secret. Resolves
   * within a second with the answer of siteverify; only `success: true` is an accepted visitor.
   *
   * @throws {TypeError} without an action, or with a site that the configuration does not have: such a call protects nothing.
   * @throws {Error} after `close()`.
   * @example
   * const visitor = await hv.verify({ response: req.body['svc-response'], action: 'sign-up' })
   * if (!visitor.success) return res.status(422).send('We could not process your request. Please try again.')
   */
  verify(request: VerifyRequest): Promise<SiteverifyAnswer | FailureAnswer>
  /** False while the ledger cannot be used: every visitor is refused. */
  readonly ready: boolean
  /** The metrics, for your own endpoint. */
  readonly registry: Registry
  /** Reads the sites and the keyring again. A file with a problem changes nothing, and is logged. */
  reload(): Promise<void>
  /**
   * Lets go of files, timers, Redis and the metrics of the registry. Close your server first: requests in flight are not waited
   * for, and afterwards `verify` throws, and the application answers 503.
   */
  close(): Promise<void>
}

/**
 * Starts the service inside a program of Node.js.
 *
 * @throws {Error} with a sentence when the configuration, the keyring, Redis or the files of this package cannot be used; and without Redis in one of several
 *   processes, which would not know each other's tokens.
 * @example
 * const hv = await createService({ config: 'hv.yaml' })
 * app.use('/hv', hv.app)
 */
export async function createService({
  config,
  log,
  registry,
}: ServiceOptions): Promise<EmbeddedService> {
  checkPackage()
  const readAt = Date.now()
  const { settings, load } = embeddedConfig(config)
  const own = log ?? (await standardLog(settings, settings.logFormat))
  const { app, parts, metrics, ready, reload, close } = await withClosers((closers) =>
    assemble(settings, { log: own, load, readAt, registry, ...packageParts() }, closers),
  )
  const [only, ...others] = settings.sites
  const verify = directVerify(parts, others.length === 0 ? only?.sitekey : undefined)
  let isClosed = false
  return {
    app: mounted(app, parts),
    async verify(request) {
      if (isClosed) throw new Error('the service was closed: verify() was called after close()')
      return verify(request)
    },
    get ready() {
      return ready.fault() === undefined
    },
    registry: metrics.registry,
    reload,
    close() {
      isClosed = true
      ready.drain()
      return close()
    },
  }
}

/**
 * Creates `siteverify` without HTTP: the same parser, operation, deadline, log line and counts.
 *
 * @param only the site that is meant where a call names none.
 */
function directVerify(parts: AppParts, only: string | undefined): EmbeddedService['verify'] {
  const { sites, clock, random, log, meters } = parts
  const perform = verifyForSite(parts)
  const parse = parser('siteverify')
  return async ({ response, action, site: sitekey, remoteip }: VerifyRequest) => {
    const site = sites.bySitekey(sitekey ?? only ?? '')
    if (!site)
      throw new TypeError('the option `site` is missing or wrong: a sitekey of the configuration')
    if (typeof action !== 'string' || action === '')
      throw new TypeError('the option `action` is missing: the action that this handler expects')
    const started = performance.now()
    let notes: Notes = { request_id: random.id() }
    const note = (more: Notes): void => {
      notes = { ...notes, ...more }
    }
    try {
      // The caller has named the site, so no secret is needed.
      const fields = { secret: 'none', response, action, remoteip: remoteip ?? undefined }
      const verdict = await inTime(
        perform({
          site,
          request: parse(new Map(Object.entries(fields))),
          caller: { note },
          now: clock.now(),
        }),
      )
      note({ code: verdictCode(verdict), status: 200 })
      return siteverifyAnswer(verdict)
    } catch (error) {
      const { code, codes, status, cause } = faultOf(error)
      if (status >= 500)
        log.error(status === 500 ? 'internal error' : 'unavailable', { ...notes, code, cause })
      note({ code, status })
      return failure(codes)
    } finally {
      note({ ms: Math.round((performance.now() - started) * 10) / 10 })
      log.info('siteverify', notes)
      meters.request('siteverify', notes)
    }
  }
}
