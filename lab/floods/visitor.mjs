/** Other visitors, who ask for a challenge ten times a second while a flood goes on: `node visitor.mjs URL SECONDS`. */
import { send } from '../attackers/wire.mjs'
import { ACTION, SITEKEY } from '../stand/service.mjs'

const [url, seconds] = process.argv.slice(2)
const EVERY_MS = 100
const PATIENCE_MS = 5000
const body = new URLSearchParams({ sitekey: SITEKEY, action: ACTION }).toString()

const byte = () => Math.floor(Math.random() * 256)

/** Each is somebody else, of another network than any flood's, on a connection of its own. */
async function ask() {
  const started = performance.now()
  const headers = [
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Origin', 'http://localhost'],
    ['X-Forwarded-For', `${150 + (byte() & 31)}.${byte()}.${byte()}.7`],
  ]
  const asked = send(`${url}/api/v1/challenge`, {
    headers,
    body,
    agent: false,
    timeout: PATIENCE_MS,
  })
  const status = await asked.then((answer) => answer.status).catch(() => 0)
  return { status, ms: performance.now() - started }
}

const answers = []
const began = performance.now()
while (performance.now() - began < Number(seconds) * 1000) {
  answers.push(ask())
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
}
process.stdout.write(`${JSON.stringify(await Promise.all(answers))}\n`)
