/** ALTCHA's server library behind Express, as in the README of altcha-lib 2: one solved challenge, verified on each request. */
import { createChallenge, solveChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import express from 'express'

const secrets = { hmacSignatureSecret: 'a secret of the bench', hmacKeySignatureSecret: 'another of the bench' }
const challenge = await createChallenge({
  algorithm: 'PBKDF2/SHA-256',
  cost: 5000,
  counter: 5001,
  deriveKey,
  ...secrets,
})
const solution = await solveChallenge({ challenge, deriveKey })
const payload = Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')

const app = express()
app.use(express.urlencoded({ extended: false }))
app.get('/payload', (_req, res) => void res.send(payload))
app.post('/verify', async (req, res) => {
  const given = JSON.parse(Buffer.from(req.body.altcha, 'base64').toString())
  const { verified } = await verifySolution({
    challenge: given.challenge,
    solution: given.solution,
    deriveKey,
    ...secrets,
  })
  res.json({ success: verified })
})
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ listening: server.address().port })))
