/** The page of a second try, as `requireHuman` answers a form: one press, and the form arrives with the visitor's fields. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { requireHuman } from '../../packages/client/src/express.ts'
import { SECRET } from '../support/app.ts'
import { UNSURE } from '../support/unsure.ts'
import { container } from '../support/customer.ts'
import { begin, inChromium, on } from './stage.ts'

let shop: Server
inChromium()
afterEach(() => {
  shop.closeAllConnections()
  shop.close()
})

/**
 * A shop whose handler answers with the fields that it was given.
 *
 * @param policy that the shop's own proxy puts in the place of ours.
 * @returns its address, and the forms that it was sent.
 */
async function openShop(policy?: (base: string) => string): Promise<{ url: string; sent: URLSearchParams[] }> {
  await begin({ stepUp: 'ticket', weights: UNSURE, scoreThreshold: 0.5 })
  const sent: URLSearchParams[] = []
  const gate = requireHuman({
    url: on.service.base,
    secret: SECRET,
    action: 'sign-up',
    hostnames: ['127.0.0.1'],
    stepUpMessage: 'Noch ein Schritt',
  })
  shop = createServer((req, res) => {
    void (async () => {
      let text = ''
      for await (const chunk of req) text += String(chunk)
      res.setHeader('content-type', 'text/html')
      if (req.method !== 'POST')
        return res.end(`<!doctype html><form method="post"><input name="email" value="a&amp;b">${container(on.service.base)}
          <button>Send</button></form><script src="${on.service.base}/assets/captcha.js" defer></script>`)
      const fields = new URLSearchParams(text)
      sent.push(fields)
      const body = Object.fromEntries(fields)
      const set = res.setHeader.bind(res)
      if (policy)
        res.setHeader = (name, value) => set(name, name === 'content-security-policy' ? policy(on.service.base) : value)
      return gate({ headers: req.headers, body }, res, () => res.end(`<h1>Welcome, ${String(body['email'])}</h1>`))
    })()
  }).listen(0, '127.0.0.1')
  await once(shop, 'listening')
  return { url: `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`, sent }
}

test('shows the step at once, wants one press, and sends the same fields', async () => {
  const { url, sent } = await openShop()
  await on.page.goto(url)
  await on.page.getByRole('button', { name: 'Send' }).click()
  await on.page.getByText('Noch ein Schritt').first().waitFor()
  await on.page.locator('.svc-captcha .retry:not([aria-disabled=true])').click()
  await on.page.getByRole('heading', { name: 'Welcome, a&b' }).waitFor()
  expect(sent.map((fields) => fields.get('email'))).toEqual(['a&b', 'a&b'])
})

test('has a button in the customer’s words where its own script did not run', async () => {
  const { url, sent } = await openShop((base) => `script-src ${base}`)
  await on.page.goto(url)
  await on.page.getByRole('button', { name: 'Send' }).click()
  await on.page.locator('.svc-captcha .box.idle').waitFor()
  await on.page.getByRole('button', { name: 'Noch ein Schritt' }).click()
  await on.page.locator('.svc-captcha .retry:not([aria-disabled=true])').click()
  await on.page.getByRole('heading', { name: 'Welcome, a&b' }).waitFor()
  expect(sent).toHaveLength(2)
})
