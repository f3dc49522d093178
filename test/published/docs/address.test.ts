/** The address of the repository and its version stand in package.json; `npm run docs` writes them wherever else they are named. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { addressed, ADDRESSED } from '../../../docs/make/generated.ts'
import { ROOT } from '../../support/root.ts'

const { repository, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  repository: { url: string }
  version: string
}
const address = repository.url.replaceAll(/^git\+|\.git$/g, '')
const image = `ghcr.io${new URL(address).pathname.toLowerCase()}`

test('each file that names the repository, its image or a file of a release is one that npm run docs writes', () => {
  const released =
    'human-verification(-[a-z]+)?[-_]\\d[\\w.-]*(\\.tgz|\\.zip|\\.jar|\\.tar\\.gz|_all\\.deb)'
  const names = [address, image].map((name) => `\\Q${name}\\E`)
  const pattern = [...names, released].join('|')
  const where = ['--', '.', ':!test']
  const found = execFileSync('git', ['grep', '-lIP', pattern, ...where], { cwd: ROOT })
  expect(found.toString().trim().split('\n')).toEqual([...ADDRESSED].sort())
})

test.each(ADDRESSED)('%s follows another address and version', (file) => {
  const moved = { version: '9.9.9', repository: { url: 'git+https://codeberg.org/Some/where.git' } }
  const text = addressed(moved, readFileSync(join(ROOT, file), 'utf8'))
  expect(text).not.toContain(address)
  expect(text).not.toContain(image)
  expect(text).not.toMatch(new RegExp(`(some/where:|human-verification.*[-_])${version}`))
  expect(text).toMatch(/codeberg\.org\/Some\/where|ghcr\.io\/some\/where|[-_]9\.9\.9/)
})
