// A sign-up form on Hono. Settings: HV_URL, HV_SECRET, HV_HOSTNAMES (separated by commas), PORT.
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { requireHuman } from '@human-verification/client/hono'

const { HV_URL, HV_SECRET, HV_HOSTNAMES = '', PORT = '3000' } = process.env
const settings = {
  url: HV_URL,
  secret: HV_SECRET,
  hostnames: HV_HOSTNAMES.split(',').filter(Boolean),
  onRefusal: ({ rule, why }) => console.log(`refused by ${rule}: ${why}`),
}

const app = new Hono()
app.use(bodyLimit({ maxSize: 16_384 }))

// The operation runs behind the middleware, so it runs for people only.
app.post('/sign-up', requireHuman({ ...settings, action: 'sign-up' }), (c) =>
  c.json({ done: true, score: c.get('human').score }),
)
// The same with a field of another name.
app.post('/contact', requireHuman({ ...settings, action: 'contact-form', field: 'proof' }), (c) =>
  c.json({ done: true, score: c.get('human').score }),
)

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
