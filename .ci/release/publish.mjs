/** What a release publishes, where and how, as .github/workflows/release.yml does it. Nothing here uploads anything. */
import { join } from 'node:path'
import { output } from './run.mjs'

/** The client first: the others depend on it. */
const place = (file) => (file.includes('-client-') ? 0 : 1)

/**
 * Returns a row for each file of a release: where it goes, and the command that takes it there.
 *
 * @param files names in build/release.
 */
export function publication({ version, server }, files) {
  const source = server.repository.url.replaceAll(/^git\+|\.git$/g, '')
  const image = `ghcr.io${new URL(source).pathname.toLowerCase()}:${version}`
  const packages = files
    .filter((file) => file.endsWith('.tgz'))
    .sort((one, other) => place(one) - place(other))
  const images = files.filter((file) => file.endsWith('.oci.tar'))
  const plugins = files.filter((file) => file.endsWith('-wordpress.json'))
  const page = `${source}/releases/tag/v${version}`
  return [
    ...packages.map((file) => ({ file, to: 'registry.npmjs.org', by: `npm publish ./${file}` })),
    ...images.map((file) => ({
      file,
      to: image,
      by: `buildah manifest add hv oci-archive:${file}; then buildah manifest push --all hv docker://${image}`,
    })),
    ...files.map((file) => ({ file, to: page, by: `gh release create v${version} … ${file}` })),
    ...plugins.map((file) => ({
      file: `${file}.sig`,
      to: page,
      by: 'the same, if there is a key',
    })),
  ]
}

/** Asks npm what it would publish, and prints every row. @throws {Error} when npm would refuse a package. */
export function rehearse(release, out, files) {
  for (const { file, to, by } of publication(release, files)) {
    if (to === 'registry.npmjs.org')
      output('npm', ['publish', '--dry-run', '--provenance=false', join(out, file)])
    console.log(`${file} would go to ${to}\n    ${by}`)
  }
  console.log('nothing was published: docs/contribute/maintain.md, "Publishing"')
}
