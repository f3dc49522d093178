/** The same without Express: what Node.js and Redis cost by themselves. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS)
const server = createServer(async (req, res) => {
  req.resume()
  const first = await redis.set(`bench:${randomBytes(16).toString('base64url')}`, '1', 'PX', 600_000, 'NX')
  const body = JSON.stringify({ success: first === 'OK' })
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length })
  res.end(body)
}).listen(0, '127.0.0.1', () => console.log(JSON.stringify({ listening: server.address().port })))
