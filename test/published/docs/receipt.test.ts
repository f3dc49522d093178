/** docs/api/receipt.md: the file that checks a receipt, as it stands there, with the real service and jose. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { RECEIPT_KEYS_PATH } from '../../../src/http/api/receipt-keys.ts'
import { site, testService } from '../../support/app.ts'
import { expectDocumented } from '../../support/openapi.ts'
import { CONFIG, SECRET, type ServiceProcess, startService } from '../../support/process.ts'
import { post, token } from '../../support/visitor.ts'

const ROOT = join(import.meta.dirname, '../../..')
const FOLDER = join(ROOT, 'build/docs-receipt')
const [plain] = CONFIG.sites

let service: ServiceProcess
beforeAll(async () => {
  const config = { ...CONFIG, public_url: 'https://verify.example.com', sites: [{ ...plain, receipt: true }] }
  service = await startService({ config })
  const page = readFileSync(join(ROOT, 'docs/api/receipt.md'), 'utf8')
  const snippet = /^```js\n(.*?)^```$/ms.exec(page)![1]!
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(
    join(FOLDER, 'check.mjs'),
    snippet.replace(`https://verify.example.com${RECEIPT_KEYS_PATH}`, `${service.url}${RECEIPT_KEYS_PATH}`),
  )
  writeFileSync(
    join(FOLDER, 'run.mjs'),
    `import { checkReceipt } from './check.mjs'
const said = await checkReceipt(process.argv[2]).catch((error) => ({ refused: error.message }))
process.stdout.write(JSON.stringify(said))
process.exit(0)`,
  )
})
afterAll(async () => {
  await service.stop()
  rmSync(FOLDER, { recursive: true, force: true })
})

async function check(receipt: string): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(FOLDER, 'run.mjs'), receipt])
  return JSON.parse(stdout) as Record<string, unknown>
}

async function receiptOf(action: string, fields: Record<string, string> = {}): Promise<string> {
  const response = await token({ ...service.ask, action })
  const { body } = await post(`${service.url}/api/v1/siteverify`, { secret: SECRET, response, ...fields })
  return String(body['receipt'])
}

describe('the snippet', () => {
  test('takes a genuine receipt, offline but for the keys', async () => {
    expect(await check(await receiptOf('sign-up'))).toMatchObject({
      v: 1,
      aud: 'hv_site_testshop',
      hostname: 'shop.example.com',
      action: 'sign-up',
    })
  })

  test('refuses a receipt for another action', async () => {
    expect(await check(await receiptOf('log-in'))).toEqual({ refused: 'for another action' })
  })

  test.each([
    { what: 'an altered score', change: (body: string) => body.replace(/"score":[\d.]+/, '"score":1') },
    { what: 'another hostname', change: (body: string) => body.replace('shop.example.com', 'shop.example.org') },
    { what: 'a later end', change: (body: string) => body.replace(/"exp":\d+/, '"exp":9999999999') },
  ])('refuses a receipt with $what', async ({ change }) => {
    const [head, body = '', signature] = (await receiptOf('sign-up')).split('.')
    const altered = Buffer.from(change(Buffer.from(body, 'base64url').toString())).toString('base64url')
    expect(altered).not.toBe(body)
    expect(await check(`${head}.${altered}.${signature}`)).toEqual({ refused: 'signature verification failed' })
  })

  test('refuses a response token, and rubbish', async () => {
    expect(await check(await token(service.ask))).toHaveProperty('refused')
    expect(await check('rubbish')).toHaveProperty('refused')
  })
})

describe('siteverify', () => {
  test('answers a repeat with the same idempotency_key with the very same receipt', async () => {
    const fields = {
      secret: SECRET,
      response: await token(service.ask),
      idempotency_key: crypto.randomUUID(),
    }
    const answers = [1, 2].map(() => post(`${service.url}/api/v1/siteverify`, fields))
    const [first, second] = await Promise.all(answers)
    expect(first!.body['receipt']).toMatch(/^eyJ/)
    expect(second!.body).toEqual(first!.body)
  })

  test('gives no receipt with a rejection', async () => {
    const response = await token(service.ask)
    const { body } = await post(`${service.url}/api/v1/siteverify`, { secret: SECRET, response, action: 'other' })
    expect(body).toEqual({ success: false, action: 'sign-up', 'error-codes': ['action-mismatch'] })
  })
})

async function keys(base: string) {
  const res = await fetch(`${base}${RECEIPT_KEYS_PATH}`)
  const body = await res.text()
  expectDocumented({ method: 'GET', path: RECEIPT_KEYS_PATH, status: res.status, headers: res.headers, body })
  return { status: res.status, body: JSON.parse(body) as { keys?: object[] } }
}

describe('the public keys', () => {
  test('are there for a site that wants receipts', async () => {
    const { status, body } = await keys(service.url)
    expect([status, body.keys?.length]).toEqual([200, 1])
  })

  test('are not there when no site wants any', async () => {
    const ordinary = await testService({ siteList: [site()] })
    expect(await keys(ordinary.base)).toEqual({ status: 404, body: { success: false, 'error-codes': ['not-found'] } })
    await ordinary.stop(0)
  })
})
