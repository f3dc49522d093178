/** A customer's server that only a company's proxy lets out: the service's name means nothing elsewhere. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { realService } from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'
import { companyProxy } from '../../support/company-proxy.ts'
import { client, LANGUAGES } from './languages.ts'

let service: Awaited<ReturnType<typeof realService>>
let proxy: Awaited<ReturnType<typeof companyProxy>>
beforeAll(async () => {
  service = await realService()
  proxy = await companyProxy(service.base)
}, 60_000)
afterAll(async () => {
  proxy.close()
  await service.stop()
})

// TypeScript uses the package, whose way out is tried in test/published/drop-in/package.test.ts.
test.each(LANGUAGES.filter(({ name }) => name !== 'TypeScript'))(
  '$name asks by way of it',
  async (language) => {
    const call = { url: 'http://verify.invalid', secret: SECRET, action: 'sign-up', hostnames: ['shop.example.com'] }
    const response = await service.tokenOf({ action: 'sign-up' })
    expect(await client(language, proxy.environment)({ ...call, response })).toBe('accepted')
  },
  300_000,
)
