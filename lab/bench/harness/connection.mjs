import { once } from 'node:events'
import { connect } from 'node:net'

/** A request as it is written, so that nothing of it is made while a server is measured. */
export function requestText(url, { path, body, type, headers }) {
  const all = { Host: new URL(url).host, 'Content-Type': type, ...headers, 'Content-Length': Buffer.byteLength(body) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/**
 * A connection that is kept, for one request at a time. Node.js' own client takes longer for a request than the service does, so
 * the service would wait for it, and that is what would be measured.
 */
export async function connection(url) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let answer = ''
  let waiting
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk
    const body = bodyOf(answer)
    if (body === undefined) return
    answer = ''
    waiting.resolve(body)
  })
  socket.on('error', () => {})
  socket.on('close', () => waiting?.reject(new Error(`the connection was closed after: ${answer}`)))
  return {
    /** @returns the answer's body. */
    ask(text) {
      socket.write(text)
      return new Promise((resolve, reject) => (waiting = { resolve, reject }))
    },
    end() {
      waiting = undefined
      socket.destroy()
    },
  }
}

/** @returns undefined: more is to come. */
function bodyOf(answer) {
  const headEnds = answer.indexOf('\r\n\r\n')
  if (headEnds < 0) return undefined
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${answer}`)
  const body = answer.slice(headEnds + 4)
  return Buffer.byteLength(body) < Number(length) ? undefined : body
}
