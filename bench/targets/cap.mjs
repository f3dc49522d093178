/** Cap's server library behind Express: one token in its own store, validated on each request (and kept, so that it can be). */
import { randomBytes, createHash } from 'node:crypto'
import Cap from '@cap.js/server'
import express from 'express'

const state = { challengesList: {}, tokensList: {} }
const cap = new Cap({ noFSState: true, state })
const [id, secret] = [randomBytes(8).toString('hex'), randomBytes(15).toString('hex')]
state.tokensList[`${id}:${createHash('sha256').update(secret).digest('hex')}`] = Date.now() + 3_600_000

const app = express()
app.use(express.urlencoded({ extended: false }))
app.get('/payload', (_req, res) => void res.send(`${id}:${secret}`))
app.post('/verify', async (req, res) => {
  const { success } = await cap.validateToken(req.body.token, { keepToken: true })
  res.json({ success })
})
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ listening: server.address().port })))
