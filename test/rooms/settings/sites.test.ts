import { expect, test } from '@jest/globals'
import { hashSecret } from '../../../src/settings/secrets.ts'
import { siteDirectory } from '../../../src/settings/site-directory.ts'
import type { Site } from '../../../src/domain/site.ts'
import { type Sitekey, unixSeconds } from '../../../src/domain/words.ts'

const SECRET = `hv_secret_${'a'.repeat(43)}`
const OTHER = `hv_secret_${'b'.repeat(43)}`
const ENDING = `hv_secret_${'c'.repeat(43)}`
const LONG = 'l'.repeat(256)
const END = unixSeconds(1_800_000_000)
const NOW = unixSeconds(END - 1)

const site = (name: string, ...secrets: Site['secrets']): Site =>
  ({ sitekey: `hv_site_${name}` as Sitekey, name, secrets }) as Partial<Site> as Site
const shop = site(
  'shop',
  { sha256: hashSecret(SECRET), notAfter: undefined },
  { sha256: hashSecret(ENDING), notAfter: END },
  { sha256: hashSecret('short'), notAfter: undefined },
  { sha256: hashSecret(LONG), notAfter: undefined },
  { sha256: hashSecret(`${LONG}l`), notAfter: undefined },
)
const blog = site('blog', { sha256: hashSecret(OTHER), notAfter: undefined })
const directory = siteDirectory([shop, blog])

test('a sitekey finds its site, and no other spelling does', () => {
  expect(directory.bySitekey('hv_site_shop')).toBe(shop)
  expect(directory.bySitekey('hv_site_Shop')).toBeUndefined()
  expect(directory.bySitekey('__proto__')).toBeUndefined()
})

test.each([
  { when: 'it is one of the shop', secret: SECRET, now: NOW, finds: shop },
  { when: 'it is one of the blog', secret: OTHER, now: NOW, finds: blog },
  { when: 'it ends a second later', secret: ENDING, now: NOW, finds: shop },
  { when: 'it ends this second', secret: ENDING, now: END, finds: undefined },
  { when: 'one character differs', secret: SECRET.replace(/a$/, 'b'), now: NOW, finds: undefined },
  { when: 'it is the hash', secret: hashSecret(SECRET), now: NOW, finds: undefined },
  {
    when: 'it is too short, though its hash is known',
    secret: 'short',
    now: NOW,
    finds: undefined,
  },
  { when: 'it has 256 characters', secret: LONG, now: NOW, finds: shop },
  {
    when: 'it has 257 characters, though its hash is known',
    secret: `${LONG}l`,
    now: NOW,
    finds: undefined,
  },
  { when: 'it is empty', secret: '', now: NOW, finds: undefined },
])('a secret finds its site or nothing when $when', ({ secret, now, finds }) => {
  expect(directory.bySecret(secret, now)).toBe(finds)
})
