/** The bare Express application that lab/bench/siteverify.mjs measures against: one SET NX, one JSON answer, nothing else. */
import { randomBytes } from 'node:crypto'
import express from 'express'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS)
const app = express()
app.post('/api/v1/siteverify', async (_req, res) => {
  const first = await redis.set(
    `bench:${randomBytes(16).toString('base64url')}`,
    '1',
    'PX',
    600_000,
    'NX',
  )
  res.json({ success: first === 'OK' })
})
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ listening: server.address().port })),
)
