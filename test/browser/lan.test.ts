import { describe, expect, test } from '@jest/globals'
import { begin, form, inChromium, on } from './stage.ts'

/**
 * Plain http anywhere but on loopback, as in many a local network: no secure context, so no `crypto.subtle`.
 * The addresses are those of a network at home; the browser is told that they are this machine.
 */
const SHOPS = ['shop.lan', '192.168.7.7'] as const
const SERVICE = 'verify.lan'

inChromium(undefined, [`--host-resolver-rules=${[...SHOPS, SERVICE].map((name) => `MAP ${name} 127.0.0.1`).join()}`])

describe.each(SHOPS)('plain http on %s', (shop) => {
  test.each([
    { rung: 'blob:', policy: '' },
    { rung: 'page', policy: "worker-src 'none'" },
  ])('does the work on the $rung rung, and the form is accepted', async ({ policy }) => {
    await begin({ hostnames: [shop] })
    const there = (url: string, name: string): string => url.replace('127.0.0.1', name)
    const base = there(on.service.base, SERVICE)
    on.customer.page = form(base)
    on.customer.script = on.customer.script.replace(on.service.base, base)
    on.customer.headers = policy ? { 'content-security-policy': policy } : {}
    await on.page.goto(there(on.customer.url, shop))
    expect(await on.page.evaluate(() => [isSecureContext, typeof crypto.subtle])).toEqual([false, 'undefined'])
    await on.page.getByLabel('Email').fill('a@example.com')
    await on.until('ready')
    await on.page.getByText('Send').click()
    await on.arrived(1)
    expect(on.customer.submissions[0]!.verdict).toMatchObject({ success: true, hostname: shop })
  })
})
