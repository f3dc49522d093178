/** `hv pass issue`: a link and a QR code for one visitor whom somebody vouches for. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '../../../src/settings/load.ts'
import { unixSeconds } from '../../../src/domain/words.ts'
import { jwsPasses } from '../../../src/tokens/passes.ts'
import { hv } from '../../support/hv.ts'

const now = unixSeconds(1_800_000_000)
const folder = mkdtempSync(join(tmpdir(), 'hv-pass-'))
const CONFIG = `version: 1
keyring: keyring.json
sites:
  - {sitekey: hv_site_testshop, name: Shop, hostnames: [shop.example.com], passes: true, secrets: [{sha256: ${'0123456789abcdef'.repeat(4)}}]}
  - {sitekey: hv_site_testblog, hostnames: [blog.example.com], secrets: [{sha256: ${'1123456789abcdef'.repeat(4)}}]}
`
beforeAll(() => writeFileSync(join(folder, 'config.yaml'), CONFIG))
afterAll(() => rmSync(folder, { recursive: true }))

const issue = (...args: string[]) => hv(['pass', 'issue', '--config', 'config.yaml', ...args], { cwd: folder, now })
const PAGE = ['--url', 'https://shop.example.com/sign-up?from=desk', '--action', 'sign-up']

test('prints the page’s address with the pass after the #, which no browser sends, and a QR code of it', async () => {
  const { code, out, err } = await issue('--site', 'Shop', ...PAGE)
  expect(code).toBe(0)
  const [, pass = ''] = /^https:\/\/shop\.example\.com\/sign-up\?from=desk#hv=([\w.-]+)\n$/.exec(out) ?? []
  const site = loadConfig(join(folder, 'config.yaml'), {}).sites[0]!
  expect(jwsPasses.open(pass, site, now)).toMatchObject({ action: 'sign-up', expiresAt: now + 1800 })
  expect(err).toMatch(/[▀▄█]{20}/)
})
test('as JSON, for a ticket system', async () => {
  const { out } = await issue('--site', 'hv_site_testshop', ...PAGE, '--minutes', '5', '--json')
  expect(JSON.parse(out)).toEqual({
    link: expect.stringContaining('#hv='),
    pass: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    expires_at: now + 300,
  })
})
test('of a site that takes none it makes none, and says what to write', async () => {
  const { code, out, err } = await issue('--site', 'hv_site_testblog', ...PAGE)
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('"passes: true"')
})
test.each([
  [['--site', 'Nobody', ...PAGE], /no site "Nobody"/],
  [
    ['--site', 'Shop', '--url', 'shop.example.com', '--action', 'a'],
    /'--url <ADDRESS>' argument 'shop\.example\.com' is invalid/,
  ],
  [['--site', 'Shop', '--url', 'https://other.example/', '--action', 'a'], /no hostname "other.example"/],
  [
    ['--site', 'Shop', '--url', 'https://shop.example.com/', '--action', 'a b'],
    /'--action <ACTION>' argument 'a b' is invalid/,
  ],
  [['--site', 'Shop', ...PAGE, '--minutes', '1441'], /--minutes: expected 1 to 1440/],
  [['--site', 'Shop', ...PAGE, '--minutes', '0'], /Expected 1 to 1440/],
])('refuses %j', async (args, says) => {
  const { code, out, err } = await issue(...args)
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(says)
})
