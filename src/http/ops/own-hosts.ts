import { isIP } from 'node:net'
import type { RequestHandler } from 'express'
import { Fault } from '../../domain/codes.ts'

/**
 * Refuses what another page makes an operator's browser ask: a name that its owner points at this listener (DNS rebinding), and
 * requests that the browser itself calls cross-site. A literal address cannot be rebound, and localhost is nobody's name.
 *
 * @param names further names of the listener, lowercase, without port.
 * @throws {Fault} `not-found`, so that such a page learns nothing.
 */
export function ownHosts(names: readonly string[]): RequestHandler {
  const own: ReadonlySet<string> = new Set(['localhost', ...names])
  return (req, _res, next) => {
    if (!isOwn(req.headers.host, own) || isCrossSite(req.headers['sec-fetch-site'], req.headers['sec-fetch-mode'])) {
      throw new Fault('not-found')
    }
    next()
  }
}

/** No `Host` is no browser. */
function isOwn(host: string | undefined, own: ReadonlySet<string>): boolean {
  if (host === undefined || host === '') return true
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::[0-9]{1,5})?$/i.exec(host)
  const name = (match?.[1] ?? match?.[2] ?? '').toLowerCase()
  return isIP(name) !== 0 || own.has(name)
}

/** Following a link to the page is no danger: the other page cannot read it. */
const isCrossSite = (site: string | string[] | undefined, mode: string | string[] | undefined): boolean =>
  (site === 'cross-site' || site === 'same-site') && mode !== 'navigate'
