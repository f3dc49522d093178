/**
 * Cap's server library behind Express, as in its README: create, redeem, validate. Without REDIS it keeps challenges and tokens in
 * its own memory, else in Redis by its storage hooks. Its difficulty is the browser's alone: the server hashes 50 solutions at
 * each, so the load generator gets the least.
 */
import Cap from '@cap.js/server'
import express from 'express'
import { Redis } from 'ioredis'
import { redisStorage } from '../../compare/peers/cap.mjs'

const { REDIS } = process.env
const store = REDIS
  ? { storage: redisStorage(new Redis(REDIS)) }
  : { state: { challengesList: {}, tokensList: {} } }
const cap = new Cap({ noFSState: true, ...store })
const app = express()
app.use(express.json())
app.post(
  '/challenge',
  async (_req, res) => void res.json(await cap.createChallenge({ challengeDifficulty: 1 })),
)
app.post('/redeem', async (req, res) => void res.json(await cap.redeemChallenge(req.body)))
app.post('/verify', async (req, res) => void res.json(await cap.validateToken(req.body.token)))
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ listening: server.address().port })),
)
