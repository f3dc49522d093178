/** The page of a second try, as `requireHuman` answers a form: one press, and the form arrives with the visitor's fields. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import express from 'express'
import { requireHuman } from '../../packages/client/src/express.ts'
import { SECRET } from '../support/app.ts'
import { container } from '../support/customer.ts'
import { begin, inChromium, MANAGED, on } from './stage.ts'

let shop: Server
inChromium()
afterEach(() => {
  shop.close()
  shop.closeAllConnections()
})

/**
 * Opens a shop whose handler answers with the fields that it was given.
 *
 * @param isStrict whether the shop's own proxy forbids inline scripts.
 * @returns the forms that it was sent.
 */
async function openShop(isStrict = false): Promise<Record<string, string>[]> {
  await begin({ ...MANAGED, stepUp: 'ticket' })
  const { base } = on.service
  const sent: Record<string, string>[] = []
  const human = requireHuman({
    url: base,
    secret: SECRET,
    action: 'sign-up',
    hostnames: ['127.0.0.1'],
    stepUpMessage: 'Noch ein Schritt',
  })
  const app = express()
    .use(express.urlencoded())
    .get('/', (_req, res) => {
      res.send(`<!doctype html><form method="post"><input name="email" value="a&amp;b">${container(base)}
        <button>Send</button></form><script src="${base}/assets/captcha.js" defer></script>`)
    })
    .post('/', (req, res, next) => {
      sent.push(req.body as Record<string, string>)
      const set = res.setHeader.bind(res)
      if (isStrict)
        res.setHeader = (name, value) => set(name, name === 'content-security-policy' ? `script-src ${base}` : value)
      next()
    })
    .post('/', human, (req, res) => void res.send(`<h1>Welcome, ${(req.body as { email: string }).email}</h1>`))
  shop = createServer(app).listen(0, '127.0.0.1')
  await once(shop, 'listening')
  await on.page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`)
  await on.page.getByRole('button', { name: 'Send' }).click()
  return sent
}

test('shows the step at once, wants one press, and sends the same fields', async () => {
  const sent = await openShop()
  await on.page.getByText('Noch ein Schritt').first().waitFor()
  await on.confirm()
  await on.page.getByRole('heading', { name: 'Welcome, a&b' }).waitFor()
  expect(sent.map(({ email }) => email)).toEqual(['a&b', 'a&b'])
})

test('has a button in the customer’s words where its own script did not run', async () => {
  const sent = await openShop(true)
  await on.page.locator('.svc-captcha .box.idle').waitFor()
  await on.page.getByRole('button', { name: 'Noch ein Schritt' }).click()
  await on.confirm()
  await on.page.getByRole('heading', { name: 'Welcome, a&b' }).waitFor()
  expect(sent).toHaveLength(2)
})
