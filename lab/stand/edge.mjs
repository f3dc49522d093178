import { createServer, request } from 'node:http'
import { listen } from './processes.mjs'

/**
 * A load balancer in front of the service, one for each visit: passes everything on as it came, order and spelling of the
 * headers included, and says which address it came from. Keeps what a visitor got and what its browser told. `drops`:
 * headers that the visitor's browser does not know; `solvesFrom`: the address from which it hands in its solution.
 */
export async function startEdge(service, address, { drops, solvesFrom } = {}) {
  /** What was asked of the service's operations, oldest first. */
  const calls = []
  const solves = () => calls.filter(({ operation }) => operation === 'solve')
  const { hostname, port } = new URL(service)
  const server = createServer(async (req, res) => {
    const body = await bytesOf(req)
    const own = req.url.endsWith('/solve') ? (solvesFrom ?? address) : address
    const from = req.headers['x-evaluate-address'] ?? own
    const headers = without(without(req.rawHeaders, /^x-(evaluate|forwarded)-/i), drops)
    const onward = request(
      {
        hostname,
        port,
        method: req.method,
        path: req.url,
        headers: [...headers, 'X-Forwarded-For', from],
      },
      async (answer) => {
        const text = await bytesOf(answer)
        if (req.url.startsWith('/api/')) calls.push(call(req, body, text))
        const hop = /^(transfer-encoding|content-length|connection|keep-alive)$/i
        res.writeHead(answer.statusCode, without(answer.rawHeaders, hop)).end(text)
      },
    )
    onward.on('error', () => res.destroy())
    onward.end(body)
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    calls,
    /** Every response token that was minted for this visit. */
    tokens: () => solves().flatMap(({ answer }) => answer.token ?? []),
    /** Every ticket that the widget was given in place of a token. */
    tickets: () => solves().flatMap(({ answer }) => answer.ticket ?? []),
    address,
    /** What the browser told of the visit when it asked for its last token. */
    signals: () => JSON.parse(solves().at(-1)?.fields.get('signals') ?? 'null'),
    close: () => close(server),
  }
}

/** Raw headers, which are names and values in turns, without those whose name matches. */
const without = (raw, names) => raw.filter((_, i) => !names?.test(raw[i - (i % 2)]))

function call(req, body, text) {
  const operation = req.url.split('/').at(-1).split('?')[0]
  let answer = {}
  try {
    answer = JSON.parse(text.toString())
  } catch {
    // A preflight has no body.
  }
  return { operation, fields: new URLSearchParams(body.toString()), answer }
}

async function bytesOf(stream) {
  const chunks = []
  try {
    for await (const chunk of stream) chunks.push(chunk)
  } catch {
    // The browser has gone; what came is what there is.
  }
  return Buffer.concat(chunks)
}

export function close(server) {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
