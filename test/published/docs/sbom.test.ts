/** docs/operate/install.md: the bill of materials tells what runs with the service from what builds it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

const DEVELOPMENT = 'cdx:npm:package:development'

interface Bom {
  readonly bomFormat: string
  readonly components: readonly {
    readonly 'bom-ref': string
    readonly properties?: readonly { readonly name: string }[]
  }[]
}

const isTool = ({ properties = [] }: Bom['components'][number]): boolean =>
  properties.some(({ name }) => name === DEVELOPMENT)

test('npm run sbom lists every dependency of the service, and marks the tools of its development', () => {
  const { components, bomFormat } = JSON.parse(
    execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as Bom
  const lists: Record<'dependencies' | 'devDependencies', Record<string, string>> = JSON.parse(
    readFileSync('package.json', 'utf8'),
  )
  const { dependencies, devDependencies } = lists
  // Not `name`, which for a package of this repository is its folder's.
  const running = new Set(
    components.filter((each) => !isTool(each)).map((each) => each['bom-ref'].replace(/@[^@]+$/, '')),
  )
  expect(bomFormat).toBe('CycloneDX')
  expect(Object.keys(dependencies).filter((name) => !running.has(name))).toEqual([])
  expect(Object.keys(devDependencies).filter((name) => running.has(name))).toEqual([])
})
