/** The commands, run by wp-cli itself: HV_WP_CLI names its program (wp-cli.phar, or boot-fs.php of a clone). */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { loadAssets } from '../../src/http/assets.ts'
import { testService, type TestService } from '../support/app.ts'
import { newFolder } from '../support/close-later.ts'
import { needProgram } from '../support/programs.mjs'
import { ROOT } from '../support/root.ts'
import { addSites, makeMultisite, secretOf, SITES } from './sites.ts'
import { startWordPress, type WordPress } from './start.ts'

const WP_CLI = process.env['HV_WP_CLI']

let wordpress: WordPress
let service: TestService

;(WP_CLI === undefined ? describe.skip : describe)('wp human-verification', () => {
  beforeAll(async () => {
    service = await testService({ siteList: SITES, assets: loadAssets(join(ROOT, 'dist/assets')) })
    wordpress = await startWordPress()
  }, 300_000)

  /** Runs a command, while the service of this process answers. @returns what it printed, and how it ended. */
  function wp(...args: string[]): Promise<{ code: number; said: string }> {
    const own = [`--path=${wordpress.root}`, '--allow-root', '--no-color', 'human-verification']
    return new Promise((resolve) => {
      execFile(needProgram('php'), [WP_CLI!, ...own, ...args], (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
      )
    })
  }
  const keys = (name: string) => [`--sitekey=hv_site_${name}`, `--secret=${secretOf(name)}`]

  test('sets, tests and reports a site', async () => {
    expect(await wp('status', '--format=json')).toMatchObject({
      code: 0,
      said: expect.stringContaining('"state":"off"'),
    })
    const set = await wp('set', `--service=${service.base}`, ...keys('people'), '--forms=login')
    expect(set).toMatchObject({ code: 0, said: 'Success: Protected forms: login\n' })
    const tested = await wp('test')
    expect(tested.said).toContain('action "login": OK')
    expect(tested.said).toContain('Success: The connection works.')
    expect(await wp('status')).toMatchObject({ code: 0, said: expect.stringMatching(/\tok\t/) })
    expect(await wp('set', '--forms=nothing')).toMatchObject({
      code: 1,
      said: expect.stringContaining('Error: unknown: nothing'),
    })
    await wp('set', '--service=http://127.0.0.1:1')
    expect(await wp('status', '--format=json')).toMatchObject({
      code: 1,
      said: expect.stringContaining('"state":"service"'),
    })
    expect(await wp('test')).toMatchObject({
      code: 1,
      said: expect.stringContaining('Error: The service is not well'),
    })
  })

  test('sets twenty sites of a multisite, and tests each', async () => {
    const network = await makeMultisite(wordpress)
    wordpress.configure(network)
    await addSites(wordpress, 19)
    const everywhere = `require_once ABSPATH . 'wp-admin/includes/plugin.php'; activate_plugin( 'human-verification/human-verification.php', '', true );`
    await wordpress.php(everywhere)
    const all = ['--network', `--service=${service.base}`, ...keys('people')]
    expect(await wp('set', ...all, '--forms=login,comment')).toMatchObject({
      code: 0,
      said: 'Success: Protected forms of each site: login, comment\n',
    })
    const tested = await wp('test', '--network')
    expect(tested.code).toBe(0)
    expect(tested.said.match(/action "login": OK/g)).toHaveLength(20)
    const { code, said } = await wp('status', '--network', '--format=json')
    expect(code).toBe(0)
    expect((JSON.parse(said) as { state: string }[]).map(({ state }) => state)).toEqual(
      Array<string>(20).fill('ok'),
    )
    const list = join(newFolder(), 'secrets.json')
    writeFileSync(list, JSON.stringify([{ hostnames: ['localhost'], sitekey: 'a', secret: 'b' }]))
    expect(await wp('set', `--from=${list}`)).toMatchObject({
      code: 0,
      said: 'Success: Sites that were set: 20\n',
    })
  })
})
