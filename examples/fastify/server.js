// A sign-up form on Fastify. Settings: HV_URL, HV_SECRET, HV_HOSTNAMES (separated by commas), PORT.
import formbody from '@fastify/formbody'
import Fastify from 'fastify'
import { requireHuman } from '@human-verification/client/fastify'

const { HV_URL, HV_SECRET, HV_HOSTNAMES = '', PORT = '3000' } = process.env
const settings = {
  url: HV_URL,
  secret: HV_SECRET,
  hostnames: HV_HOSTNAMES.split(',').filter(Boolean),
  onRefusal: ({ rule, why }) => console.log(`refused by ${rule}: ${why}`),
}

const app = Fastify({ bodyLimit: 16_384 })
await app.register(formbody)
app.decorateRequest('human', null)

// The operation runs behind the hook, so it runs for people only.
app.post('/sign-up', { preHandler: requireHuman({ ...settings, action: 'sign-up' }) }, async (request) => ({
  done: true,
  score: request.human.score,
}))
// The same with a field of another name.
app.post(
  '/contact',
  { preHandler: requireHuman({ ...settings, action: 'contact-form', field: 'proof' }) },
  async (request) => ({ done: true, score: request.human.score }),
)

console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: Number(PORT) })}`)
