import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { apiParts } from './api-tables.ts'
import { chartSchema } from './chart-schema.ts'
import { commandsParts } from './commands-tables.ts'
import { comparisonLines } from './comparison.ts'
import { conformanceParts } from './conformance-tables.ts'
import { composeGate } from './compose-gate.ts'
import { enginesParts } from './engines-table.ts'
import {
  fleetTable,
  headlineFigures,
  processorTable,
  redisFigures,
  sizingTable,
} from './measured.ts'
import { metricsTable } from './metrics-table.ts'
import { publishedOpenapi } from './openapi.ts'
import { privacyParts } from './privacy-tables.ts'
import { productsParts } from './products-table.ts'
import { proxiesTable } from './proxies-table.ts'
import { scoreModel, scoringParts } from './scoring-page.ts'
import { sampleConfig, settingsTable } from './settings-pages.ts'
import type { Parts } from './table.ts'

/** Files that are generated as a whole; JSON is laid out by prettier. */
const WHOLE: Readonly<Record<string, (root: string) => string>> = {
  'test/vectors/score-model.json': scoreModel,
  'openapi.json': publishedOpenapi,
  'config/config.example.yaml': sampleConfig,
  'deploy/compose/gate/nginx.conf': composeGate,
  'deploy/chart/values.schema.json': chartSchema,
  // A chart reads no file outside of its folder.
  'deploy/chart/files/alarms.yml': (root) =>
    readFileSync(join(root, 'deploy/observability/alarms.yml'), 'utf8'),
  // The recipe is one file without a package, and every language's cases run it.
  'packages/keycloak/src/main/java/io/github/humanverification/keycloak/Verify.java': (root) =>
    `package io.github.humanverification.keycloak;\n\n${readFileSync(join(root, 'examples/verify/Verify.java'), 'utf8')}`,
}

/** Pages that are written by hand, with generated parts between marks. */
const PARTS: Readonly<Record<string, (root: string) => Parts>> = {
  'README.md': (root) => ({ figures: headlineFigures(root), comparison: comparisonLines(root) }),
  'docs/api/api.md': apiParts,
  'config/README.md': () => ({ settings: settingsTable() }),
  'docs/operate/install.md': (root) => ({ ...commandsParts(), proxies: proxiesTable(root) }),
  'docs/operate/privacy.md': privacyParts,
  'docs/widget/conformance.md': conformanceParts,
  'docs/start/products.md': productsParts,
  'docs/design/scoring.md': scoringParts,
  'docs/operate/metrics.md': () => ({ metrics: metricsTable() }),
  'docs/operate/engines.md': enginesParts,
  'docs/operate/operations.md': (root) => ({ figures: sizingTable(root) }),
  'docs/operate/redis.md': (root) => ({ sizes: fleetTable(root) }),
  'docs/design/performance.md': (root) => ({
    processor: processorTable(root),
    redis: redisFigures(root),
  }),
}

/** Files that name the repository, its image or a file of a release: with the address and the version of package.json. */
export const ADDRESSED: readonly string[] = [
  'package.json',
  'README.md',
  'deploy/chart/Chart.yaml',
  'deploy/chart/ci/scheduling-values.yaml',
  'deploy/chart/values.yaml',
  'deploy/kubernetes/deployment.yaml',
  'deploy/kubernetes/kustomization.yaml',
  'deploy/platforms/coolify.yaml',
  'deploy/platforms/easypanel.json',
  'deploy/platforms/human-verification.container',
  'deploy/platforms/human-verification.nomad.hcl',
  'docs/operate/kubernetes.md',
  'docs/start/gate.md',
  'docs/start/guide.md',
  'docs/start/library.md',
  'docs/start/wordpress.md',
  'packages/gate/README.md',
  'packages/wordpress/human-verification.php',
  'packages/wordpress/includes/updates.php',
  'packages/wordpress/readme.txt',
]
const ADDRESS = /https:\/\/(?:github\.com|gitlab\.com|codeberg\.org)\/[\w-]+\/[\w-]+/g
const IMAGE = /ghcr\.io\/[\w-]+\/[\w-]+(:\d[\w.-]*)?/g

const FILE =
  /(human-verification(?:-[a-z]+)?[-_])\d[\w.-]*?(?=\.tgz|\.zip|\.jar|\.tar\.gz|_all\.deb)/g

/** What package.json says of itself. */
interface Manifest {
  readonly version: string
  readonly repository: { readonly url: string }
}

/** Writes address and version wherever a text names the repository, its image at ghcr.io or a file of a release. */
export function addressed({ version, repository }: Manifest, text: string): string {
  const address = repository.url.replaceAll(/^git\+|\.git$/g, '')
  const image = `ghcr.io${new URL(address).pathname.toLowerCase()}`
  return text
    .replaceAll(ADDRESS, address)
    .replaceAll(FILE, `$1${version}`)
    .replaceAll(IMAGE, (_name, tag?: string) => (tag === undefined ? image : `${image}:${version}`))
}

/**
 * Every generated file, by its path, with the text it has to have.
 *
 * @param root the repository
 * @throws {Error} for a page without the marks of one of its parts, or with marks of a part that nothing generates
 */
export async function generated(root: string): Promise<ReadonlyMap<string, string>> {
  const options = await resolveConfig(join(root, 'package.json'))
  const whole = Object.entries(WHOLE).map(async ([file, page]) => {
    const text = page(root)
    return [
      file,
      file.endsWith('.json') ? await format(text, { ...options, parser: 'json' }) : text,
    ] as const
  })
  const parts = Object.entries(PARTS).map(
    ([file, page]) => [file, withParts(root, file, page(root))] as const,
  )
  const made = new Map([...(await Promise.all(whole)), ...parts])
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  for (const file of ADDRESSED) {
    const text = made.get(file) ?? readFileSync(join(root, file), 'utf8')
    made.set(file, addressed(manifest, text))
  }
  return made
}

/** A page with each part between its marks: `<!-- NAME: npm run docs writes it -->` and `<!-- end -->`. */
function withParts(root: string, file: string, parts: Parts): string {
  const missing = new Set(Object.keys(parts))
  const text = readFileSync(join(root, file), 'utf8').replaceAll(
    /(<!-- ([a-z ]+): npm run docs writes it -->\n)([^]*?)(<!-- end -->)/g,
    (...match) => {
      const [, before = '', name = '', written = '', after = ''] = match as string[]
      const part = parts[name]
      if (part === undefined)
        throw new Error(`${file} has marks of "${name}", which nothing generates`)
      missing.delete(name)
      return `${before}${typeof part === 'string' ? part : part(written)}\n${after}`
    },
  )
  if (missing.size > 0) throw new Error(`${file} has no marks for: ${[...missing].join(', ')}`)
  return text
}
