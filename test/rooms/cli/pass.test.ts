/** `hv pass keygen` and `hv pass issue`: a key pair, and a link that vouches for one visitor. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { checkConfig } from '../../../src/settings/load.ts'
import type { PassKey } from '../../../src/claims/pass.ts'
import { type Sitekey, unixSeconds } from '../../../src/domain/words.ts'
import { openPass } from '../../../src/tokens/passes.ts'
import { newFolder } from '../../support/close-later.ts'
import { hv } from '../../support/hv.ts'

const now = unixSeconds(1_800_000_000)
const folder = newFolder()
const sitekey = 'hv_site_testshop' as Sitekey
const { out: printed } = await hv(['pass', 'keygen'], { cwd: folder })

const issue = (...args: string[]) => hv(['pass', 'issue', ...args], { cwd: folder, now })
const PAGE = ['--url', 'https://shop.example.com/sign-up?from=desk', '--action', 'sign-up']
const OF = ['--site', sitekey]

test('keygen prints the public key as a setting, and makes the private one unreadable to others', () => {
  const config = `version: 1
keyring: keyring.json
sites:
  - sitekey: ${sitekey}
    secrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]
    hostnames: [shop.example.com]
    ${printed}`
  const { passKeys } = checkConfig(config, 'config.yaml', {}).sites[0]!
  const { d, ...publicKey } = JSON.parse(
    readFileSync(join(folder, 'pass-key.json'), 'utf8'),
  ) as PassKey & { d: string }
  expect(passKeys).toEqual([publicKey])
  expect(printed).not.toContain(d)
  expect(statSync(join(folder, 'pass-key.json')).mode & 0o777).toBe(0o600)
})
test('keygen never replaces a file', async () => {
  const before = readFileSync(join(folder, 'pass-key.json'), 'utf8')
  const { code, err } = await hv(['pass', 'keygen'], { cwd: folder })
  expect([code, err]).toEqual([1, expect.stringContaining('EEXIST')])
  expect(readFileSync(join(folder, 'pass-key.json'), 'utf8')).toBe(before)
})

test('issue prints the page’s address with the pass after the #, which no browser sends', async () => {
  const { code, out, err } = await issue(...OF, ...PAGE)
  expect(code).toBe(0)
  const [, pass = ''] =
    /^https:\/\/shop\.example\.com\/sign-up\?from=desk#hv=([\w.-]+)\n$/.exec(out) ?? []
  const passKeys = JSON.parse(printed.replace('pass_keys: ', '')) as PassKey[]
  const claims = { action: 'sign-up', hostname: 'shop.example.com', expiresAt: now + 1800 }
  expect(await openPass(pass, { sitekey, passKeys }, now)).toMatchObject(claims)
  expect(err).toContain('for one visitor, once, within 30 minutes')
})
test('issue as JSON, for a ticket system', async () => {
  const { out } = await issue(...OF, ...PAGE, '--minutes', '5', '--json')
  expect(JSON.parse(out)).toEqual({
    link: expect.stringContaining('#hv='),
    pass: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    expires_at: now + 300,
  })
})

test.each([
  { when: 'is missing', name: 'none.json', says: /cannot be read.*hv pass keygen/ },
  {
    when: 'is open to others',
    name: 'open.json',
    text: '{}',
    mode: 0o644,
    says: /others on this machine/,
  },
  { when: 'is not JSON', name: 'text.json', text: 'PRIVATE', says: /expected a private key/ },
  {
    when: 'is public',
    name: 'public.json',
    text: '{"kty":"OKP","crv":"Ed25519","kid":"a","x":"b"}',
    says: /expected a private key/,
  },
])('issue makes no pass when the key $when', async ({ name, text, mode = 0o600, says }) => {
  if (text !== undefined) writeFileSync(join(folder, name), text)
  if (text !== undefined) chmodSync(join(folder, name), mode)
  const { code, out, err } = await issue('--key', name, ...OF, ...PAGE)
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(says)
})
test.each([
  [['--site', 'Shop', ...PAGE], /'--site <SITEKEY>' argument 'Shop' is invalid/],
  [
    [...OF, '--url', 'shop.example.com', '--action', 'a'],
    /'--url <ADDRESS>' argument 'shop\.example\.com' is invalid/,
  ],
  [[...OF, ...PAGE, '--minutes', '1441'], /--minutes: expected 1 to 1440/],
  [[...OF, ...PAGE, '--minutes', '0'], /Expected 1 to 1440/],
  [[...OF, '--action', 'a'], /expected --url ADDRESS/],
])('issue refuses %j', async (args, says) => {
  const { code, out, err } = await issue(...args)
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(says)
})
