/** Serves build/site/ to this machine alone (`npm run docs:site -- --serve`): the live widget needs an address of its own. */
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, normalize } from 'node:path'

const TYPES = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
  png: 'image/png',
  webp: 'image/webp',
}

/** @returns {Promise<string>} the address; port 0 picks a free one */
export function serve(folder, port) {
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url, 'http://localhost')
    const inside = normalize(decodeURIComponent(pathname))
    const file = join(folder, inside.endsWith('/') ? `${inside}index.html` : inside)
    if (!existsSync(file) || !statSync(file).isFile()) return void res.writeHead(404).end('not here')
    res.writeHead(200, { 'Content-Type': `${TYPES[file.split('.').at(-1)] ?? 'text/plain'}; charset=utf-8` })
    createReadStream(file).pipe(res)
  })
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}/`))
  })
}
