/** What must agree before anything is made: the versions of all packages and of what names them, CHANGELOG.md and the tag. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { agree, output, ROOT } from './run.mjs'

const readJson = (...path) => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'))

/** Where other files than package.json name the version. */
const NAMED = {
  'packages/wordpress/human-verification.php': /^ \* Version: *(\S+)$/gm,
  'packages/wordpress/readme.txt': /^Stable tag: *(\S+)$/gm,
  'deploy/chart/Chart.yaml': /^(?:version|appVersion): *(\S+)$/gm,
  'deploy/kubernetes/deployment.yaml': /^ +app\.kubernetes\.io\/version: "(.+)"$/gm,
  'deploy/kubernetes/kustomization.yaml': /^ +newTag: (\S+)$/gm,
  'packages/keycloak/pom.xml': /^ {2}<version>(.+)<\/version>$/gm,
  'README.md': /(?<=[Vv]ersion |human-verification[_:])(\d+\.\d+\.\d+(?:-[a-z\d.]+)?)/g,
}

/**
 * @param strict whether a tag of this commit is compared: without one, or for single files, nothing is released yet.
 * @returns the version, the commit, the folders of the npm packages in the order of publishing, and the plug-ins that are no npm packages.
 * @throws {Error} at the first disagreement.
 */
export function releaseOf({ strict }) {
  const { version, ...server } = readJson('package.json')
  const folders = readdirSync(join(ROOT, 'packages')).sort()
  const packages = folders.filter((name) =>
    existsSync(join(ROOT, 'packages', name, 'package.json')),
  )
  const plugins = folders.filter((name) =>
    existsSync(join(ROOT, 'packages', name, 'human-verification.php')),
  )
  for (const name of packages) {
    const { version: own } = readJson('packages', name, 'package.json')
    agree(own === version, `packages/${name} has version ${own}, package.json has ${version}`)
  }
  for (const [path, pattern] of Object.entries(NAMED)) {
    const named = [...readFileSync(join(ROOT, path), 'utf8').matchAll(pattern)]
    const other = named.find(([, own]) => own !== version)?.[1]
    agree(
      named.length > 0 && other === undefined,
      `${path} has version ${other}, package.json has ${version}`,
    )
  }
  const release = {
    version,
    server,
    packages,
    plugins,
    commit: output('git', ['rev-parse', 'HEAD']),
  }
  const [heading] = changesOf(release).split('\n', 1)
  const tags = output('git', ['tag', '--points-at', 'HEAD', '--list', 'v*'])
    .split('\n')
    .filter(Boolean)
  if (!strict || tags.length === 0) return release

  agree(tags.join() === `v${version}`, `the tag is ${tags.join(', ')}, package.json has ${version}`)
  agree(
    /\(\d{4}-\d\d-\d\d\)$/.test(heading),
    `the heading of CHANGELOG.md is "${heading}", expected a date`,
  )
  agree(
    output('git', ['status', '--porcelain']) === '',
    'the working tree differs from the tagged commit',
  )
  return release
}

/**
 * The part of CHANGELOG.md about a version. Without a date in its heading it calls itself a trial: such files are never published.
 *
 * @throws {Error} when the newest part is about another version.
 */
export function changesOf({ version, commit }) {
  const [, newest = ''] = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  agree(
    newest.startsWith(`${version} (`),
    `CHANGELOG.md begins with "${newest.split('\n', 1).join('')}", package.json has ${version}`,
  )
  const notes = newest.trimEnd().replace('(unreleased)', '(a trial, not a release)')
  return `${notes}\n\nCommit ${commit}. Check the files with \`sha256sum --check SHA256SUMS\`.\n`
}
