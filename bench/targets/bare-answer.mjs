/** What Node.js takes to read a small body and to answer with a refusal, and nothing else: bench/refusals.mjs. */
import { createServer } from 'node:http'

const body = '{"success":false,"error-codes":["bad-request"]}'
const head = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length }
const server = createServer((req, res) => {
  req.resume()
  req.on('end', () => res.writeHead(400, head).end(body))
}).listen(0, '127.0.0.1', () => console.log(JSON.stringify({ listening: server.address().port })))
