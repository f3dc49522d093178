/** What leaves this folder with `npm pack`, and with the image's build: never what an operator keeps here. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ROOT } from './root.ts'

/** As README.md and docs/operate/operations.md have them made. */
const KEPT = ['config/keyring.json', 'config/config.yaml', 'config/sites/shop.example.com.yaml']

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hv-pack-'))
  for (const file of ['package.json', 'config', 'docs', 'openapi.json', 'README.md']) {
    cpSync(join(ROOT, file), join(folder, file), { recursive: true })
  }
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/main.js'), '')
  mkdirSync(join(folder, 'config/sites'), { recursive: true })
  for (const file of KEPT) writeFileSync(join(folder, file), 'kept')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package has what is published of config, and nothing of its operator', () => {
  const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = JSON.parse(told.toString()) as [{ files: { path: string }[] }]
  const packed = files.map(({ path }) => path)
  expect(packed).toContain('dist/main.js')
  expect(packed.filter((path) => path.startsWith('config/')).toSorted()).toEqual([
    'config/README.md',
    'config/config.example.yaml',
    'config/demo.yaml',
    'config/folder.example/config.yaml',
    'config/folder.example/sites/shop.example.com.yaml',
    'config/schema.json',
    'config/site.schema.json',
  ])
})

test('every link of a page in the package leads to a file in the package', () => {
  const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = JSON.parse(told.toString()) as [{ files: { path: string }[] }]
  const packed = files.map(({ path }) => path)
  const leads = (to: string): boolean => packed.some((path) => path === to || path.startsWith(`${to}/`))
  const pages = packed.filter((path) => path.endsWith('.md') && !path.startsWith('dist/'))
  expect(pages).toContain('docs/start/guide.md')
  const lost = pages.flatMap((page) => {
    const prose = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '')
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target!.split('#')[0]!)
      .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
      .map((target) => join(dirname(page), target).replace(/\/$/, ''))
      .filter((target) => !leads(target))
      .map((target) => `${page}: ${target}`)
  })
  expect(lost).toEqual([])
})

test('a package is built before it is packed, and when it is installed from git', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect(scripts['prepare']).toBe('node src/prepare.cjs')
  expect(readFileSync(join(ROOT, 'src/prepare.cjs'), 'utf8')).toContain('npm run --silent build')
})

test('the build of the image is not given what its operator keeps here', () => {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  const config = lines.indexOf('!config')
  for (const line of ['config/*keyring*', 'config/config.yaml', 'config/sites']) {
    expect(lines.indexOf(line)).toBeGreaterThan(config)
  }
})
