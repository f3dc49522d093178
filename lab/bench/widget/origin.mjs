/** Where the widgets are shown: a customer's origin, and a browser. */
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

export function openChromium() {
  const found = spawnSync('sh', ['-c', 'command -v chromium || command -v google-chrome'])
  return chromium.launch({ executablePath: found.stdout.toString().trim(), args: FLAGS })
}

/**
 * The customer's origin: compressed as well as ours (brotli at its highest quality, gzip at level 9), so that no server's
 * settings are compared.
 */
export async function origin(contender) {
  let arrived
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    if (req.url === '/sent') arrived({ at: performance.now(), fields: new URLSearchParams(body) })
    const answer =
      req.url === '/' || req.url === '/sent'
        ? {
            type: 'text/html; charset=utf-8',
            body: req.url === '/' ? contender.page : '<link rel="icon" href="data:,">',
          }
        : await contender.serve(req.method, req.url, body)
    if (!answer) return res.writeHead(404).end()
    const isBrotli = /\bbr\b/.test(req.headers['accept-encoding'])
    res.writeHead(200, { 'content-type': answer.type, 'content-encoding': isBrotli ? 'br' : 'gzip' })
    res.end(isBrotli ? brotliCompressSync(answer.body) : gzipSync(answer.body, { level: 9 }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** The next form that arrives, and when. */
    form: () => new Promise((resolve) => (arrived = resolve)),
    close: () => server.close(),
  }
}
