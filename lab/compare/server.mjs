/**
 * A peer's server: `node server.mjs ADAPTER`, with its settings as JSON in the environment (COMPARE). It has the peer's own routes,
 * its files, compressed as a proxy would, and for the customer's handler `/accepts`, which asks the peer about the fields of a form.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import express from 'express'
import { Redis } from 'ioredis'
import { ROOT } from '../stand/machine.mjs'

const { default: peer } = await import(pathToFileURL(process.argv[2]).href)
const settings = JSON.parse(process.env.COMPARE ?? '{}')
const redis = settings.redisUrl && new Redis(settings.redisUrl)
redis?.on('error', () => {})

const app = express()
app.use(express.json({ limit: '1mb' }))
for (const [path, file] of Object.entries(peer.files ?? {})) {
  const body = brotliCompressSync(readFileSync(join(ROOT, 'lab/node_modules', file)))
  const type = file.endsWith('.wasm') ? 'application/wasm' : 'text/javascript'
  app.get(path, (_req, res) => res.type(type).set('Content-Encoding', 'br').send(body))
}
const accepts = await peer.serve(app, { ...settings, redis })
app.post('/accepts', async (req, res) => res.json({ accepted: (await accepts(req.body)) === true }))

const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ listening: server.address().port })),
)
