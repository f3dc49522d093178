import { expect, test } from '@jest/globals'
import { signReceipt } from '../../../src/protocol/sign-receipt.ts'
import { siteDirectory } from '../../../src/config/sites.ts'
import { rejected, type Verdict } from '../../../src/domain/verdict.ts'
import { site, SITEKEY } from './parts.ts'

const claims = { sitekey: SITEKEY, jti: 'AAAAAAAAAAAAAAAAAAAAAA' }
const accepted = { accepted: true, claims, scoreThreshold: 0.5 } as unknown as Verdict
const elsewhere = { accepted: true, claims: { ...claims, sitekey: 'hv_site_gone0000' } } as unknown as Verdict

test.each<[string, string, boolean, Verdict]>([
  ['a receipt', 'an accepted visit of a site that wants receipts', true, accepted],
  ['none', 'an accepted visit of a site that wants none', false, accepted],
  ['none', 'a rejection', true, rejected('timeout-or-duplicate')],
  [
    'none',
    'a rejection that names a sitekey all the same',
    true,
    { ...accepted, accepted: false } as unknown as Verdict,
  ],
  ['none', 'an accepted visit of a site that is gone', true, elsewhere],
])('%s for %s', async (gives, _what, receipt, verdict) => {
  const receipts = { sign: async (of: { jti: string }) => `receipt for ${of.jti}`, keys: () => ({ keys: [] }) }
  const sign = signReceipt({ sites: siteDirectory([site({ receipt })]), receipts })
  expect(await sign(verdict)).toBe(gives === 'none' ? undefined : `receipt for ${claims.jti}`)
})
