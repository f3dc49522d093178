/** A real Chromium whose extension signs every request, as agents' browsers do; and the same where its key is in no file. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type BrowserContext, chromium } from 'playwright-core'
import { localAgents, type LocalAgents } from '../../src/agents/agents.ts'
import { visitRule } from '../../src/domain/site-rules/visit-rules.ts'
import { SECRET } from '../support/app.ts'
import { chromiumProgram, FLAGS } from '../support/chromium.ts'
import { signingAgent } from '../support/signing-agent.ts'
import { backstage, type Backstage, form } from './stage.ts'

let behind: Backstage
let agents: LocalAgents
let browser: BrowserContext
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hv-signing-'))
})
afterEach(async () => {
  await browser.close()
  await behind.close()
  rmSync(folder, { recursive: true })
})

/** @param known whether the service has the agent's keys. */
async function start(known: boolean): Promise<void> {
  const rule = (name: string, action: string, kind: 'allow' | 'deny') =>
    visitRule({ name, when: { agent: ['any'], action: [action] }, effect: { kind }, until: undefined })
  behind = await backstage(
    {
      agents: true,
      actions: ['sign-up', 'vote'],
      scoreThreshold: 0.5,
      rules: [rule('let-in', 'sign-up', 'allow'), rule('keep-out', 'vote', 'deny')],
    },
    { agents: { of: (request, now) => agents.of(request, now) } },
  )
  const agent = await signingAgent()
  const keys = join(folder, 'keys.json')
  writeFileSync(keys, known ? agent.directory : (await signingAgent()).directory)
  const { service } = behind
  const one = { name: 'one', url: 'https://agent.test', keys, ranges: undefined }
  agents = await localAgents([one], service.base, service.parts.log)

  const headers = await agent.headers(service.base, Math.floor(Date.now() / 1000))
  const extension = join(folder, 'extension')
  writeExtension(extension, headers)
  browser = await chromium.launchPersistentContext(join(folder, 'profile'), {
    ...chromiumProgram(),
    args: [...FLAGS, `--disable-extensions-except=${extension}`, `--load-extension=${extension}`],
    ignoreDefaultArgs: ['--disable-extensions'],
  })
}

/** The signature covers the authority alone, so one of them fits every request of the next minutes. */
function writeExtension(place: string, headers: Record<string, string>): void {
  mkdirSync(place)
  const requestHeaders = Object.entries(headers).map(([header, value]) => ({ header, operation: 'set', value }))
  const rule = {
    id: 1,
    action: { type: 'modifyHeaders', requestHeaders },
    condition: { urlFilter: '/api/v1/', resourceTypes: ['xmlhttprequest', 'other'] },
  }
  writeFileSync(join(place, 'rules.json'), JSON.stringify([rule]))
  const manifest = {
    manifest_version: 3,
    name: 'signs',
    version: '1',
    permissions: ['declarativeNetRequest'],
    host_permissions: ['<all_urls>'],
    declarative_net_request: { rule_resources: [{ id: 'signs', enabled: true, path: 'rules.json' }] },
  }
  writeFileSync(join(place, 'manifest.json'), JSON.stringify(manifest))
}

/** Fills in the form and asks the service about its token, as a customer whose handler protects this action. */
async function verdict(action: string): Promise<unknown> {
  const { customer, service } = behind
  customer.page = `${form(service.base).replace('data-action="sign-up"', `data-action="${action}"`)}<script>
    document.getElementById('form').addEventListener('submit', (event) => {
      event.preventDefault()
      document.title = new FormData(event.target).get('svc-response')
    })</script>`
  const page = await browser.newPage()
  await page.goto(customer.url)
  await page.getByLabel('Email').fill('agent@example.com')
  await page.getByText('Send').click()
  await page.waitForFunction(() => document.title.startsWith('ey'))
  const body = new URLSearchParams({ secret: SECRET, response: await page.title(), action })
  return await (await fetch(`${service.base}/api/v1/siteverify`, { method: 'POST', body })).json()
}

test('is let through for one action, refused for another, and told to the customer', async () => {
  await start(true)
  expect(await verdict('sign-up')).toMatchObject({ success: true, score: 1, agent: 'one', action: 'sign-up' })
  expect(await verdict('vote')).toMatchObject({ success: false, score: 0, agent: 'one', 'error-codes': ['low-score'] })
})

test('is judged like any driven browser where its key is in no file', async () => {
  await start(false)
  const answer = await verdict('sign-up')
  expect(answer).toMatchObject({ success: false, 'error-codes': ['low-score'] })
  expect(answer).not.toHaveProperty('agent')
})
