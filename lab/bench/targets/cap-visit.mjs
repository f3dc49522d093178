/**
 * Cap's server library behind Express, as in its README: create, redeem, validate, in its own memory. Its difficulty is the
 * browser's alone: the server hashes 50 solutions at each, so the load generator gets the least.
 */
import Cap from '@cap.js/server'
import express from 'express'

const cap = new Cap({ noFSState: true, state: { challengesList: {}, tokensList: {} } })
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
