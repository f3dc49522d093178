// A sign-up form on Express. Settings: HV_URL, HV_SECRET, HV_HOSTNAMES (separated by commas), PORT.
import express from 'express'
import { requireHuman } from '@human-verification/client/express'

const { HV_URL, HV_SECRET, HV_HOSTNAMES = '', PORT = '3000' } = process.env
const settings = {
  url: HV_URL,
  secret: HV_SECRET,
  hostnames: HV_HOSTNAMES.split(',').filter(Boolean),
  onRefusal: ({ rule, why }) => console.log(`refused by ${rule}: ${why}`),
}

const app = express()
app.disable('x-powered-by')
app.use(express.urlencoded({ limit: '16kb' }), express.json({ limit: '16kb' }))

// The operation runs behind the middleware, so it runs for people only.
app.post('/sign-up', requireHuman({ ...settings, action: 'sign-up' }), (req, res) => {
  res.json({ done: true, score: req.human.score })
})
// The same with a field of another name.
app.post('/contact', requireHuman({ ...settings, action: 'contact-form', field: 'proof' }), (req, res) => {
  res.json({ done: true, score: req.human.score })
})

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`)
})
