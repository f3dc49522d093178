/** Answers proxies: the checks that they ask for, and the requests for `/.hv/` that they pass on. */
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Answer, json, NOT_FOUND } from './answers.ts'
import { type Check, checkAt, DIALECTS, PASSED_ON } from './dialects.ts'
import type { Meters } from './meters.ts'
import { assetOf, isInRanges, MissingHeader, type ProxyRequest, readVisit } from './visit.ts'
import type { WatchedSettings } from './watched-settings.ts'

export class ProxyAnswers {
  readonly #watched: WatchedSettings
  readonly #meters: Meters
  /** The mode of a socket's file says who may ask. The address of a peer does not: one that has gone has none. */
  readonly #isOnSocket: boolean

  constructor(watched: WatchedSettings, meters: Meters) {
    this.#watched = watched
    this.#meters = meters
    this.#isOnSocket = 'path' in watched.inForce.settings.listen
  }

  /** Answers every request: an error lets nobody in. */
  async answer(req: IncomingMessage): Promise<Answer> {
    try {
      return await this.#answer(req)
    } catch (error) {
      const detail = error instanceof MissingHeader ? error.message : 'internal error'
      this.#watched.inForce.log.seldom(detail, { detail: String(error) })
      return json(500, { error: detail })
    }
  }

  async #answer(req: IncomingMessage): Promise<Answer> {
    const { settings, log } = this.#watched.inForce
    if (!this.#isOnSocket && !isInRanges(req.socket.remoteAddress, settings.trusted_proxies)) {
      log.seldom('a peer that is no trusted proxy')
      return json(403, { error: 'forbidden' }, { connection: 'close' })
    }
    const { method = 'GET', url = '', headers } = req
    const asset = assetOf(url)
    if (asset === 'blocked') return this.#answerBlocked(req)
    if (asset !== undefined) return this.#answerAsset(asset, req)
    const check = checkAt(url)
    return check ? this.#answerCheck(check, { method, target: check.target, headers }) : NOT_FOUND
  }

  async #answerCheck({ dialect }: Check, request: ProxyRequest): Promise<Answer> {
    const { keeper, settings } = this.#watched.inForce
    const begun = performance.now()
    const decision = await keeper.check(readVisit(dialect, request, settings.trusted_proxies))
    this.#meters.checkSeconds.observe((performance.now() - begun) / 1000)
    if ('clearance' in decision) {
      const { clearance, guest } = decision
      // Always there, so that a proxy overwrites what the visitor may have sent.
      const headers = { 'x-hv-clearance': clearance, 'x-hv-guest': guest }
      return { status: dialect.letsIn, headers, body: '' }
    }
    if (dialect.showsAnswer) return decision.answer()
    return { status: decision.status, headers: {}, body: '' }
  }

  /** Answers a request for one of our files, or for the exchange of a token. */
  #answerAsset(asset: string, req: IncomingMessage): Promise<Answer> {
    const { keeper, settings } = this.#watched.inForce
    const { method = 'GET', url: target = '', headers } = req
    const visit = readVisit(PASSED_ON, { method, target, headers }, settings.trusted_proxies)
    return keeper.own(visit, asset, () => text(req))
  }

  /** Answers nginx, which asks here for the page of a request that it answers with 401. */
  #answerBlocked(req: IncomingMessage): Promise<Answer> {
    const { keeper, settings } = this.#watched.inForce
    const { nginx } = DIALECTS
    // A visitor may open `/.hv/blocked` itself: then nginx names no other request, and the page is that of `/`.
    const headers = { [nginx.headers.method]: 'GET', [nginx.headers.target]: '/', ...req.headers }
    const visit = readVisit(
      nginx,
      { method: 'GET', target: '/', headers },
      settings.trusted_proxies,
    )
    return keeper.own(visit, 'blocked', () => text(req))
  }
}
