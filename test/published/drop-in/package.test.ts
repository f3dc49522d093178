/** The customers' package: what a strict compiler says of its components, and what it costs to install. docs/operate/install.md */
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from '@jest/globals'
import { realService } from '../../../packages/client/test/cases.ts'
import { SECRET } from '../../support/app.ts'
import { newFolder } from '../../support/close-later.ts'
import { companyProxy } from '../../support/company-proxy.ts'
import { compile, FOLDER, installKit, installThirdParty, KIT, TARBALL } from './third-party.ts'

const ROOT = join(FOLDER, '../../..')
const page = readFileSync(join(ROOT, 'docs/operate/install.md'), 'utf8')
const folder = newFolder()
beforeAll(() => {
  installThirdParty()
  installKit()
}, 300_000)

const PROGRAM = `import { createElement, useRef } from 'react'
import { h } from 'vue'
import { HumanVerification as ReactWidget, type WidgetHandle } from '@human-verification/client/react'
import { HumanVerification as VueWidget } from '@human-verification/client/vue'

const given = { sitekey: 'hv_site_a', action: 'sign-up', apiBase: 'https://verify.example.com' }
export function Form() {
  const widget = useRef<WidgetHandle>(null)
  widget.current?.execute().then((token) => token.length)
  return <ReactWidget {...given} ref={widget} size="compact" className="here" onToken={(token) => token.length} onError={({ code }) => code === 203} />
}
// @ts-expect-error a sitekey is required
createElement(ReactWidget, { apiBase: '/' })
// @ts-expect-error the service's address is required
createElement(ReactWidget, { sitekey: 'hv_site_a' })
// @ts-expect-error there is no such theme
createElement(ReactWidget, { ...given, theme: 'blue' })

h(VueWidget, { ...given, theme: 'dark', onToken: (token: string) => token.length })
// @ts-expect-error a sitekey is required
h(VueWidget, { apiBase: '/' })
// @ts-expect-error there is no such theme
h(VueWidget, { ...given, theme: 'blue' })
export const inVue = (one: InstanceType<typeof VueWidget>): Promise<string> => one.execute()
`

test('a strict compiler accepts right props of our components, and refuses wrong ones', () => {
  const modules = { module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx' }
  const options = {
    ...modules,
    skipLibCheck: false,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  }
  // Below the packages, so that they are found.
  const project = join(FOLDER, 'node_modules/.hv-types')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  expect(compile(project, 'program.tsx', PROGRAM, options)).toBe('')
}, 120_000)

test('an empty project gets one package without a registry, of the size in docs/operate/install.md', () => {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...options, TARBALL], { cwd: folder, stdio: 'pipe' })
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: object
  }
  expect(Object.keys(packages)).toEqual(['', `node_modules/${KIT}`])
  const [, packed, installed] = /(\d+) kB, (\d+) kB installed/.exec(page) ?? []
  expect(Math.abs(statSync(TARBALL).size / 1000 - Number(packed))).toBeLessThan(3)
  expect(
    Math.abs(bytesIn(join(folder, 'node_modules', KIT)) / 1000 - Number(installed)),
  ).toBeLessThan(5)
})

test('the option `fetch` of its README asks by way of a proxy of the environment', async () => {
  const service = await realService()
  const proxy = await companyProxy(service.base)
  const readme = readFileSync(join(ROOT, 'packages/client/README.md'), 'utf8')
  const [, proxied] = [...readme.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, block]) => block)
  const response = await service.tokenOf({ action: 'sign-up' })
  const asked = { url: 'http://verify.invalid', secret: SECRET, response, action: 'sign-up' }
  const program = `${proxied!}
    const { verify } = await import('${KIT}')
    console.log((await verify({ ...options, ...${JSON.stringify(asked)}, hostnames: ['shop.example.com'] })).accepted)
    await dispatcher.close()`
  const env = { PATH: process.env['PATH'], ...proxy }
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: FOLDER, env })
  expect(stdout.trim()).toBe('true')
}, 60_000)

function bytesIn(path: string): number {
  const stat = statSync(path)
  return stat.isDirectory()
    ? readdirSync(path).reduce((sum, each) => sum + bytesIn(join(path, each)), 0)
    : stat.size
}
