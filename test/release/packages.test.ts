/** The packages of npm as a stranger uses them: installed from their files into an empty folder. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from '@jest/globals'
import { newFolder } from '../support/close-later.ts'
import { freePort } from '../support/ports.mjs'
import { ROOT } from '../support/root.ts'
import { door, expectDemo, expectVisit, makeRelease, output, released, siteIn, starts } from './stranger.ts'

const folder = newFolder()
const npm = (...args: string[]) => output('npm', args, { cwd: folder })
let installation = ''

beforeAll(() => {
  makeRelease('packages')
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const install = `npm install --prefer-offline --no-audit express ${released(/\.tgz$/).join(' ')} 2>&1`
  installation = output('sh', ['-c', install], { cwd: folder })
}, 300_000)

test('npm reports no script of ours, and installs nothing of ours twice', () => {
  expect(installation).toMatch(/^\s*added \d+ packages/)
  const ours = ['server', 'client'].map((name) => join(folder, `node_modules/@human-verification/${name}/package.json`))
  for (const file of ours) expect(JSON.parse(readFileSync(file, 'utf8'))).not.toHaveProperty('scripts')
  const paths = Object.keys(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages as object)
  const names = paths.filter((path) => path.includes('@human-verification/')).map((path) => path.split('/').at(-1))
  expect(new Set(names).size).toBe(names.length)
})

test('a site, a visit and the end, by the installed command', async () => {
  const printed = npm('exec', '--', 'hv', 'site', 'add', '--hostname', '127.0.0.1', '--config', 'hv.yaml')
  const site = siteIn(join(folder, 'hv.yaml'), printed)
  const service = await starts(() => ['node_modules/.bin/hv', 'serve', '--config', 'hv.yaml'], { cwd: folder })
  await expectVisit(service.url, site)
  expect(await service.stop()).toContain('stopped')
}, 120_000)

test('the first door of README.md leads to the demonstration', async () => {
  const [npx = '', ...args] = door('npx').split(' ')
  // From this folder's packages, and never from somewhere else.
  const options = { cwd: folder, env: { HOME: folder, npm_config_offline: 'true' } }
  const demo = await starts((_, other) => [npx, ...args, '--site-listen', `127.0.0.1:${other}`], options)
  await expectDemo(demo)
  await demo.stop()
}, 120_000)

test('docs/start/coding-agents.md does what it says, block by block', async () => {
  const page = readFileSync(join(ROOT, 'docs/start/coding-agents.md'), 'utf8')
  const [service, port] = [await freePort(), await freePort()]
  const env = { ...process.env, npm_config_offline: 'true' }
  mkdirSync(join(folder, 'public'))
  let printed = ''
  for (const [, head = '', block = ''] of page.matchAll(/^```(.*)\n([^]*?)^```$/gm)) {
    const text = block.replaceAll('8082', String(service)).replace('3000', String(port))
    const [, file] = /file=(\S+)/.exec(head) ?? []
    if (file !== undefined) writeFileSync(join(folder, file), text)
    else if (head === 'text output') expect(printed).toBe(text)
    else if (head === 'sh')
      printed = await promisify(execFile)('sh', ['-c', text], { cwd: folder, env }).then((ended) => ended.stdout)
    else {
      expect(head).toBe('sh background')
      await starts(() => ['sh', '-c', text], { cwd: folder, env }, service)
    }
  }
  expect(printed).toContain('accepted 200')
}, 120_000)
