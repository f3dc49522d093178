/** Answers the gate's operators: metrics and readiness, on a listener that is never public. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { type Answer, json, NOT_FOUND } from './answers.ts'
import type { Meters } from './meters.ts'
import { hostOf } from './visit.ts'

/** @param names by which operators ask, besides localhost and addresses. */
export async function answerOperator(
  req: IncomingMessage,
  names: readonly string[],
  { registry }: Meters,
): Promise<Answer> {
  if (!isOperator(req, names)) return NOT_FOUND
  if (req.url === '/ready') return json(200, { ready: true })
  if (req.url !== '/metrics') return NOT_FOUND
  const headers = { 'content-type': registry.contentType }
  return { status: 200, headers, body: await registry.metrics() }
}

/**
 * Refuses what another page makes an operator's browser ask: by a name that its owner points at this listener (DNS rebinding),
 * and what the browser itself calls cross-site. A literal address cannot be rebound, and localhost is never in DNS.
 */
function isOperator({ headers }: IncomingMessage, names: readonly string[]): boolean {
  // A request without `Host` comes from no browser.
  const name = hostOf(headers.host || 'localhost').replaceAll(/^\[|\]$/g, '')
  if (isIP(name) === 0 && name !== 'localhost' && !names.includes(name)) return false
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return true
  // Following a link is no danger: the other page cannot read what comes.
  return headers['sec-fetch-mode'] === 'navigate'
}
