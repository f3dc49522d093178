/**
 * The usual assembly of the packages this service is made of, each as its README shows it: form parsing, helmet, ajv,
 * the secret by its hash, jose with a key of bytes, the Redis limiter, SET NX, a winston line per request.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Ajv } from 'ajv'
import express from 'express'
import helmet from 'helmet'
import { Redis } from 'ioredis'
import { jwtVerify } from 'jose'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import winston from 'winston'

const { REDIS, KEY, SECRET } = process.env
const redis = new Redis(REDIS)
const key = Buffer.from(KEY, 'base64url')
const secretHash = createHash('sha256').update(SECRET).digest()
const limiter = new RateLimiterRedis({ storeClient: redis, points: 1e8, duration: 60, keyPrefix: 'usual' })
const logger = winston.createLogger({
  format: winston.format.combine(winston.format.timestamp(), winston.format.json()),
  transports: [new winston.transports.Console()],
})
const validate = new Ajv().compile({
  type: 'object',
  properties: { secret: { type: 'string' }, response: { type: 'string' }, action: { type: 'string' } },
  required: ['secret', 'response'],
})

const app = express()
app.use(helmet())
app.use(express.urlencoded({ extended: false, limit: '16kb' }))
app.post('/api/v1/siteverify', async (req, res) => {
  const started = performance.now()
  const answer = await judge(req)
  res.status(answer.status).json(answer.body)
  logger.info('siteverify', {
    status: answer.status,
    ms: performance.now() - started,
    codes: answer.body['error-codes'],
  })
})

async function judge({ body }) {
  const refused = (status, code) => ({ status, body: { success: false, 'error-codes': [code] } })
  if (!validate(body)) return refused(400, 'bad-request')
  const hash = createHash('sha256').update(body.secret).digest()
  if (!timingSafeEqual(hash, secretHash)) return refused(400, 'invalid-input-secret')
  try {
    await limiter.consume('site')
  } catch {
    return refused(429, 'rate-limit-exceeded')
  }
  try {
    const { payload } = await jwtVerify(body.response, key, { algorithms: ['HS256'] })
    const first = await redis.set(`usual:${payload.jti}`, '1', 'PX', 600_000, 'NX')
    if (first !== 'OK') return refused(200, 'timeout-or-duplicate')
    return {
      status: 200,
      body: { success: true, hostname: payload.hst, action: payload.act, score: 0.9, 'error-codes': [] },
    }
  } catch {
    return refused(400, 'invalid-input-response')
  }
}

const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ listening: server.address().port })))
