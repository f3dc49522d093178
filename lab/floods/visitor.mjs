/** Other visitors, who ask for a challenge ten times a second while a flood goes on: `node visitor.mjs URL SECONDS`. */
import { request } from 'node:http'
import { ACTION, SITEKEY } from '../stand/service.mjs'

const [url, seconds] = process.argv.slice(2)
const EVERY_MS = 100
const PATIENCE_MS = 5000
const body = new URLSearchParams({ sitekey: SITEKEY, action: ACTION }).toString()

const byte = () => Math.floor(Math.random() * 256)

/** Each is somebody else, of another network than any flood's, on a connection of its own. */
function ask() {
  const started = performance.now()
  return new Promise((resolve) => {
    const asked = request(`${url}/api/v1/challenge`, {
      method: 'POST',
      agent: false,
      timeout: PATIENCE_MS,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': body.length,
        origin: 'http://localhost',
        'x-forwarded-for': `${150 + (byte() & 31)}.${byte()}.${byte()}.7`,
      },
    })
    const done = (status) => resolve({ status, ms: performance.now() - started })
    asked.once('timeout', () => asked.destroy())
    asked.once('error', () => done(0))
    asked.once('response', (res) => {
      res.resume()
      res.once('end', () => done(res.statusCode))
    })
    asked.end(body)
  })
}

const answers = []
const began = performance.now()
while (performance.now() - began < Number(seconds) * 1000) {
  answers.push(ask())
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
}
process.stdout.write(`${JSON.stringify(await Promise.all(answers))}\n`)
