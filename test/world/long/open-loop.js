/**
 * Visitors who do not wait for each other, from a process of their own: so many requests a second over raw sockets,
 * whatever becomes of the earlier ones. A socket is used again only when its answer is there; as many as are needed while
 * every answer comes within a second are there before, as a balancer keeps them: Node.js takes one new connection in each
 * turn of its loop and no more (libuv 1.45 and later), so in an overload new ones wait for seconds, whatever we do.
 *
 *     node open-loop.js URL PER_SECOND SECONDS BODY → {"asked", "answers": {"200 ok": n}, "p50", "p99", "slowest"}
 */
import { connect } from 'node:net'

const [url, perSecond, seconds, body] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const request = Buffer.from(
  `POST /api/v1/siteverify HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
)
/** Below the 10,000 connections that the service takes. */
const MOST_KEPT = 8000
const free = []
const waits = []
const answers = {}
let asked = 0
let open = 0

function count(kind, since) {
  answers[kind] = (answers[kind] ?? 0) + 1
  waits.push(performance.now() - since)
  open--
}

function ask() {
  asked++
  open++
  const since = performance.now()
  const socket = free.pop() ?? newSocket()
  socket.since = since
  socket.said = ''
  socket.write(request)
}

const newSocket = () => listened(connect({ host: hostname, port: Number(port), noDelay: true }))

function listened(socket) {
  socket.setEncoding('latin1')
  socket.on('data', (data) => {
    socket.said += data
    const head = socket.said.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/content-length: (\d+)/i.exec(socket.said)[1])
    if (socket.said.length < head + 4 + length) return
    const code = /"error-codes":\["([a-z-]+)/.exec(socket.said)?.[1] ?? 'ok'
    count(`${socket.said.slice(9, 12)} ${code}`, socket.since)
    socket.since = undefined
    free.push(socket)
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    const at = free.indexOf(socket)
    if (at >= 0) free.splice(at, 1)
    if (socket.since !== undefined) count('none', socket.since)
  })
  return socket
}

for (let i = 0; i < Math.min(perSecond, MOST_KEPT); i++) {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  // One after the other, so that none waits; each is used once, since one that says nothing for 5 s is ended.
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  free.push(listened(socket))
}
const started = performance.now()
const timer = setInterval(() => {
  const due = Math.min(seconds, (performance.now() - started) / 1000) * perSecond
  while (asked < due) ask()
  if (asked < seconds * perSecond || (open > 0 && performance.now() - started < seconds * 1000 + 5000)) return
  clearInterval(timer)
  waits.sort((a, b) => a - b)
  const at = (share) => Math.round(waits[Math.min(waits.length - 1, Math.floor(waits.length * share))])
  const result = { asked, answers: { ...answers, ...(open > 0 && { 'none yet': open }) } }
  process.stdout.write(JSON.stringify({ ...result, p50: at(0.5), p99: at(0.99), slowest: at(1) }), () =>
    process.exit(0),
  )
}, 2)
