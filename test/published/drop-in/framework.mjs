/** A customer's server: `node framework.mjs NAME-VERSION`. Settings: HV_URL, HV_SECRET, PORT. Each has a form, JSON, and an upload. */
const [name, version] = process.argv[2].split('-')
const { requireHuman } = await import(`../../../packages/client/dist/esm/${name}.js`)
const { HV_URL, HV_SECRET, PORT } = process.env
const gate = requireHuman({ url: HV_URL, secret: HV_SECRET, action: 'sign-up', hostnames: ['shop.example.com'] })
const load = async (of) => (await import(`${of}-${version}`)).default

async function onExpress() {
  const express = await load('express')
  const { default: multer } = await import('multer')
  const app = express()
  app.use(express.urlencoded({ extended: false }), express.json())
  const answer = (req, res) => res.json({ done: true, score: req.human.score, bytes: req.file?.size ?? 0 })
  app.post('/sign-up', gate, answer)
  // The parser comes before the gate: the token is one of the fields.
  app.post('/upload', multer().single('picture'), gate, answer)
  app.listen(Number(PORT), '127.0.0.1')
}

async function onFastify() {
  const fastify = await load('fastify')
  const app = fastify()
  await app.register(await load('fastify-formbody'))
  await app.register(await load('fastify-multipart'), { attachFieldsToBody: 'keyValues' })
  app.decorateRequest('human', null)
  const answer = async (request) => ({
    done: true,
    score: request.human.score,
    bytes: request.body.picture?.length ?? 0,
  })
  app.post('/sign-up', { preHandler: gate }, answer)
  app.post('/upload', { preHandler: gate }, answer)
  await app.listen({ host: '127.0.0.1', port: Number(PORT) })
}

await (name === 'express' ? onExpress() : onFastify())
