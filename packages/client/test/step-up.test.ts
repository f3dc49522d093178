/** What `requireHuman` makes of a low score of a site with `step_up: ticket`. */
import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from '@jest/globals'
import { requireHuman } from '../src/express.ts'
import { SECRET, site, testService } from '../../../test/support/app.ts'
import { closeLater } from '../../../test/support/close-later.ts'
import { token } from '../../../test/support/visitor.ts'

// Nobody reaches the threshold.
const service = await testService({ siteList: [site({ scoreThreshold: 0.99, stepUp: 'ticket' })] })

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

/** What a visitor gets whose form carried this body. @param from headers that tell which page sent it. */
async function answered(
  accept: string,
  fields: object,
  more: object = {},
  from: object = SAME_ORIGIN,
) {
  const { base, ask } = service
  const gate = requireHuman({
    url: base,
    secret: SECRET,
    action: 'sign-up',
    hostnames: ['shop.example.com'],
    ...more,
  })
  const headers: Record<string, string> = {}
  const told = { status: 0, body: '', next: false, headers }
  const res = {
    statusCode: 0,
    setHeader(name: string, value: string) {
      headers[name] = value
    },
    end: (body: string) => void Object.assign(told, { status: res.statusCode, body }),
  }
  const req = {
    headers: { accept, ...from },
    body: { ...fields, 'svc-response': await token(ask) },
  }
  await gate(req, res, () => {
    told.next = true
  })
  return told
}

describe('requireHuman hands the ticket on', () => {
  test('as a page that keeps the form’s fields and shows the widget with it', async () => {
    const fields = { email: 'a@example.com', note: '"<b>&', tag: ['x', 'y'] }
    const { status, body, next } = await answered('text/html', fields)
    expect([status, next]).toEqual([422, false])
    expect(body).toContain('<input type="hidden" name="email" value="a@example.com">')
    expect(body).toContain('<input type="hidden" name="note" value="&#34;&#60;b&#62;&#38;">')
    expect(body.match(/name="tag" value="[xy]"/g)).toHaveLength(2)
    expect(body).not.toContain('<input type="hidden" name="svc-response"')
    expect(body).toMatch(
      /data-sitekey="hv_site_testshop" data-action="sign-up" .*data-step-up="[\w-]+\.[\w-]+\.[\w-]+"/,
    )
    expect(body).toContain('Please confirm that you are a person'.toLowerCase())
  })
  test('with words and an address of the customer’s', async () => {
    const more = { stepUpMessage: 'Noch ein Schritt <3', publicUrl: 'https://verify.example.com' }
    const { body } = await answered('text/html', {}, more)
    expect(body).toContain('Noch ein Schritt &#60;3')
    expect(body).toContain('src="https://verify.example.com/assets/captcha.js"')
  })
  test('as a member of the JSON', async () => {
    const { status, body } = await answered('application/json', { email: 'a@example.com' })
    expect(status).toBe(422)
    expect(JSON.parse(body)).toEqual({
      error: expect.any(String),
      step_up: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    })
  })
  test.each([
    [
      'another site',
      {
        'sec-fetch-site': 'cross-site',
        origin: 'https://shop.example.com',
        host: 'shop.example.com',
      },
    ],
    ['another subdomain', { 'sec-fetch-site': 'same-site' }],
    [
      'another origin, without Sec-Fetch-Site',
      { origin: 'https://evil.example', host: 'shop.example.com' },
    ],
    ['another port', { origin: 'https://shop.example.com:8443', host: 'shop.example.com' }],
    ['an opaque origin', { origin: 'null', host: 'null' }],
    ['nobody knows where', { host: 'shop.example.com' }],
  ])('not as a page for a form from %s, which may have chosen its fields', async (_where, from) => {
    const { status, body, next } = await answered('text/html', { to: 'a stranger' }, {}, from)
    expect([status, next]).toEqual([422, false])
    expect(body).not.toContain('data-step-up')
    expect(body).not.toContain('a stranger')
  })
  test('as a page for the own origin, in a browser without Sec-Fetch-Site', async () => {
    const from = { origin: 'https://shop.example.com', host: 'shop.example.com' }
    expect((await answered('text/html', {}, {}, from)).body).toContain('data-step-up')
  })
  test('as a page for a form that came by HTTP/2', async () => {
    const gate = requireHuman({
      url: service.base,
      secret: SECRET,
      action: 'sign-up',
      hostnames: ['shop.example.com'],
    })
    const fields = { email: 'a@example.com', 'svc-response': await token(service.ask) }
    const server = http2.createServer((req, res) => {
      void gate(Object.assign(req, { body: fields }), res, () => res.end('next'))
    })
    closeLater(server.listen(0, '127.0.0.1'), (it) => void it.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = http2.connect(`http://127.0.0.1:${port}`)
    closeLater(client, (it) => it.close())
    const headers = { accept: 'text/html', origin: `http://127.0.0.1:${port}` }
    const stream = client.request({ ':method': 'POST', ':path': '/sign-up', ...headers })
    const [answer] = (await once(stream.end(), 'response')) as [http2.IncomingHttpHeaders]
    expect([answer[':status'], (await text(stream)).includes('data-step-up')]).toEqual([422, true])
  })
  test('as a page that cannot be framed and runs no other script', async () => {
    const { headers, body } = await answered('text/html', { note: '<script>' })
    const [, nonce] = /script-src 'nonce-([\w-]+)' 'strict-dynamic'/.exec(
      headers['content-security-policy']!,
    )!
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none';.*frame-ancestors 'none'$/,
    )
    expect(headers['x-frame-options']).toBe('DENY')
    expect(body.match(/<script/g)).toHaveLength(2)
    expect(body.split(`<script nonce="${nonce}"`)).toHaveLength(3)
    expect((await answered('text/html', {})).headers['content-security-policy']).not.toContain(
      nonce,
    )
  })
  test('not as a page where that would lose what the visitor wrote', async () => {
    const { body } = await answered('text/html', { upload: { name: 'cv.pdf' } })
    expect(body).not.toContain('data-step-up')
    expect(body).toContain('Please try again')
  })
})
