/** Links that page libraries follow by a script, unmodified, at a site behind hv-gate whose clearance has ended. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { loadAssets } from '../../../src/http/assets.ts'
import { site, testService } from '../../support/app.ts'
import { launch } from '../../support/chromium.ts'
import { gateFiles, PROXIES, SITE_PAGE, startGate, startSite } from '../../support/gate.ts'
import { FOLDER, inPage, installThirdParty } from './third-party.ts'

beforeAll(installThirdParty, 300_000)

const judged = site({ hostnames: ['127.0.0.1'], scoreThreshold: 0 })
const service = await testService({ siteList: [judged], assets: loadAssets('dist/assets') })
const chromium = await launch()

const HTMX_2 = 'htmx-2/dist/htmx.min.js'
const TURBO = '@hotwired/turbo/dist/turbo.es2017-umd.js'

test.each([
  { what: 'htmx 2 behind nginx', library: HTMX_2, startProxy: PROXIES.nginx, arrives: '/' },
  { what: 'htmx 2 behind Caddy', library: HTMX_2, startProxy: PROXIES.Caddy, arrives: '/' },
  { what: 'htmx 2 behind HAProxy', library: HTMX_2, startProxy: PROXIES.HAProxy, arrives: '/' },
  {
    what: 'htmx 4 behind nginx',
    library: 'htmx.org/dist/htmx.min.js',
    startProxy: PROXIES.nginx,
    arrives: '/',
  },
  { what: 'Turbo behind nginx', library: TURBO, startProxy: PROXIES.nginx, arrives: '/next' },
])('$what: who follows a link sees the page of the gate, and ends at $arrives', async (row) => {
  const script = inPage(readFileSync(join(FOLDER, 'node_modules', row.library), 'utf8'))
  const link = '<p hx-boost="true" hx-boost:inherited="true"><a href="/next">next</a></p>'
  const app = await startSite(`${SITE_PAGE}${link}${script}`)
  const gate = await startGate(gateFiles(service.base))
  const { url } = await row.startProxy(gate.host, app.host)
  const page = await (await chromium.newContext()).newPage()
  const arrived = () => page.getByRole('heading', { name: 'the site' }).waitFor()
  await page.goto(url)
  await arrived()
  await page.context().clearCookies()
  const passed = page.waitForResponse(
    (res) => res.url().endsWith('/.hv/pass') && res.status() === 204,
  )
  await page.getByRole('link').click()
  await passed
  await arrived()
  expect(page.url()).toBe(`${url}${row.arrives}`)
  await page.getByRole('link').click()
  await page.waitForURL(`${url}/next`)
  expect(app.at('/next').length).toBeGreaterThan(0)
})
