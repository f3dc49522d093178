/** What leaves this folder with `npm pack`, and with the image's build: never what an operator keeps here. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { newFolder } from '../../support/close-later.ts'
import { ROOT } from '../../support/root.ts'

/** As README.md and docs/operate/operations.md have them made. */
const KEPT = [
  'config/keyring.json',
  'config/config.yaml',
  'config/sites/shop.example.com.yaml',
  'deploy/kubernetes/keyring.json',
]

test('the image has every folder of the gate that its package has', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'packages/gate/package.json'), 'utf8')) as {
    files: string[]
  }
  const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  expect(files).toContain('lists')
  for (const folder of files)
    expect(image).toContain(`/app/packages/gate/${folder} packages/gate/${folder}`)
})

test.each(['.', 'packages/client', 'packages/gate'])(
  'the package of %s has a page for its registry',
  (folder) => {
    const page = readFileSync(join(ROOT, folder, 'README.md'), 'utf8')
    expect(page).toMatch(/^# \S/m)
  },
)

test('neither the package nor the image contains keys or configuration of the operator', () => {
  const folder = newFolder()
  for (const file of ['package.json', 'config', 'deploy'])
    cpSync(join(ROOT, file), join(folder, file), { recursive: true })
  mkdirSync(join(folder, 'config/sites'), { recursive: true })
  for (const file of KEPT) writeFileSync(join(folder, file), 'kept')
  const options = ['--dry-run', '--json', '--ignore-scripts']
  const said = execFileSync('npm', ['pack', ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = JSON.parse(said.toString()) as [{ files: { path: string }[] }]
  const packed = files.map(({ path }) => path)
  expect(packed).toContain('config/demo.yaml')
  expect(packed.filter((path) => KEPT.includes(path))).toEqual([])
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  for (const line of ['config/*keyring*', 'config/config.yaml', 'config/sites'])
    expect(lines.indexOf(line)).toBeGreaterThan(lines.indexOf('!config'))
})
