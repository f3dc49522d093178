/** The JA4 of a visitor's TLS is a proxy's word, never a visitor's; a site's rule may ask for it. */
import { afterEach, expect, test } from '@jest/globals'
import { visitRule } from '../../../src/domain/site-rules/visit-rules.ts'
import { site, type TestService, testService } from '../../support/app.ts'
import { BROWSER, token } from '../../support/visitor.ts'

let service: TestService
afterEach(() => service.stop(0))

const PYTHON = 't13d1812h1_85036bcba153_b26ce05bbdd6'
const CHROMIUM = 't13d1517h2_8daaf6152771_43736b97bd57'
const NO_PYTHON = visitRule({
  name: 'no-python',
  when: { ja4: ['*_85036bcba153_*'] },
  effect: { kind: 'adjust', score: -1, work: undefined },
  until: undefined,
})

test.each([
  { says: 'that the rule names, from our proxy', proxies: ['127.0.0.1'], setting: 'x-ja4', sent: PYTHON, fires: true },
  { says: 'of another', proxies: ['127.0.0.1'], setting: 'x-ja4', sent: CHROMIUM, fires: false },
  { says: 'from somebody who is no proxy of ours', proxies: [], setting: 'x-ja4', sent: PYTHON, fires: false },
  { says: 'that nobody asked for', proxies: ['127.0.0.1'], setting: undefined, sent: PYTHON, fires: false },
])('JA4 $says: counts $fires, and is in no log', async ({ proxies, setting, sent, fires }) => {
  service = await testService({
    siteList: [site({ rules: [NO_PYTHON] })],
    trustedProxies: proxies,
    tlsFingerprintHeader: setting,
  })
  await token({ ...service.ask, headers: { ...BROWSER, 'x-forwarded-for': '203.0.113.9', 'x-ja4': sent } })
  const log = JSON.stringify(service.lines())
  expect(log.includes('no-python')).toBe(fires)
  expect(log).not.toContain(sent)
})
