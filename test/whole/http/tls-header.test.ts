/** The JA4 of a visitor's TLS is a proxy's word, never a visitor's. */
import { afterEach, expect, test } from '@jest/globals'
import { type TestService, testService } from '../../support/app.ts'
import { BROWSER, token } from '../../support/visitor.ts'

let service: TestService
afterEach(() => service.stop(0))

const PYTHON = 't13d1812h1_85036bcba153_b26ce05bbdd6'
const CHROMIUM = 't13d1517h2_8daaf6152771_43736b97bd57'

test.each([
  { says: 'of another engine, from our proxy', proxies: ['127.0.0.1'], setting: 'x-ja4', sent: PYTHON, fires: true },
  { says: 'of the same engine', proxies: ['127.0.0.1'], setting: 'x-ja4', sent: CHROMIUM, fires: false },
  { says: 'that is rubbish', proxies: ['127.0.0.1'], setting: 'x-ja4', sent: 'x'.repeat(4000), fires: false },
  { says: 'from somebody who is no proxy of ours', proxies: [], setting: 'x-ja4', sent: PYTHON, fires: false },
  { says: 'that nobody asked for', proxies: ['127.0.0.1'], setting: undefined, sent: PYTHON, fires: false },
])('JA4 $says: counts $fires, and is in no log', async ({ proxies, setting, sent, fires }) => {
  service = await testService({ trustedProxies: proxies, tlsFingerprintHeader: setting })
  await token({ ...service.ask, headers: { ...BROWSER, 'x-forwarded-for': '203.0.113.9', 'x-ja4': sent } })
  const log = JSON.stringify(service.lines())
  expect(log.includes('tls-of-another')).toBe(fires)
  expect(log).not.toContain(sent)
})
