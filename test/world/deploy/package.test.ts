/** What leaves this folder with `npm pack`, and with the image's build: never what an operator keeps here. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ROOT } from '../../support/root.ts'

/** As README.md and docs/operate/operations.md have them made. */
const KEPT = ['config/keyring.json', 'config/config.yaml', 'config/sites/shop.example.com.yaml']

function packedFrom(cwd: string): readonly string[] {
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  const told = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd, stdio: [...stdio] })
  const [{ files }] = JSON.parse(told.toString()) as [{ files: { path: string }[] }]
  return files.map(({ path }) => path)
}

test('neither the package nor the image contains keys or configuration of the operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hv-pack-'))
  try {
    for (const file of ['package.json', 'config']) cpSync(join(ROOT, file), join(folder, file), { recursive: true })
    mkdirSync(join(folder, 'config/sites'), { recursive: true })
    for (const file of KEPT) writeFileSync(join(folder, file), 'kept')
    const packed = packedFrom(folder)
    expect(packed).toContain('config/demo.yaml')
    expect(packed.filter((path) => KEPT.includes(path))).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  for (const line of ['config/*keyring*', 'config/config.yaml', 'config/sites'])
    expect(lines.indexOf(line)).toBeGreaterThan(lines.indexOf('!config'))
})

test('every link in the package leads to a file of the package', () => {
  const packed = packedFrom(ROOT)
  const leads = (to: string): boolean => packed.some((path) => path === to || path.startsWith(`${to}/`))
  const pages = packed.filter((path) => path.endsWith('.md') && !path.startsWith('dist/'))
  expect(pages.length).toBeGreaterThan(10)
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
