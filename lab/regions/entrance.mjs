import { Agent, createServer, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '../stand/processes.mjs'

/** Milliseconds that the service of another region may take. */
const PATIENCE_MS = 1500
const UNREACHABLE = JSON.stringify({ success: false, 'error-codes': ['database-unavailable'] })

/**
 * Returns the sitekey that a request is about: the audience of the token that it brings, else the one that it names. It is not
 * checked. A forged one leads to a region whose keyring did not sign the token, where it is refused.
 */
function sitekeyOf(body) {
  const fields = new URLSearchParams(body)
  const token = fields.get('response') ?? fields.get('challenge')
  return token === null ? fields.get('sitekey') : audienceOf(token)
}

function audienceOf(token) {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).aud
  } catch {
    // It is no token, and every region says so.
    return undefined
  }
}

/**
 * Starts the entrance of a region: a router that hands each request to the service of the region that is the home of its site. It
 * answers 503 where that one cannot be reached, and never asks another.
 *
 * @param {(sitekey: string | undefined) => number} portFor the port of a service in this region, or of a link to the other one
 */
export async function startEntrance(portFor) {
  const agent = new Agent({ keepAlive: true })
  const server = createServer(async (req, res) => {
    const body = await buffer(req).catch(() => Buffer.alloc(0))
    const onward = request({
      port: portFor(sitekeyOf(body.toString())),
      method: req.method,
      path: req.url,
      headers: req.headers,
      agent,
      timeout: PATIENCE_MS,
    })
    onward.on('timeout', () => onward.destroy(new Error('no answer in time')))
    onward.on('error', () => {
      if (res.headersSent) return void res.destroy()
      res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' })
      res.end(UNREACHABLE)
    })
    onward.on('response', (answer) => {
      res.writeHead(answer.statusCode, answer.headers)
      answer.pipe(res)
    })
    onward.end(body)
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    stop() {
      agent.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}
