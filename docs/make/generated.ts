import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { apiParts } from './api-tables.ts'
import { chartSchema } from './chart-schema.ts'
import { commandsParts } from './commands-tables.ts'
import { comparisonLines } from './comparison.ts'
import { conformanceParts } from './conformance-tables.ts'
import { composeGate } from './compose-gate.ts'
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
  'docs/operate/install.md': commandsParts,
  'docs/operate/privacy.md': privacyParts,
  'docs/widget/conformance.md': conformanceParts,
  'docs/start/products.md': productsParts,
  'docs/design/scoring.md': scoringParts,
  'docs/operate/metrics.md': () => ({ metrics: metricsTable() }),
  'docs/operate/operations.md': (root) => ({ figures: sizingTable(root) }),
  'docs/operate/redis.md': (root) => ({ sizes: fleetTable(root) }),
  'docs/design/performance.md': (root) => ({
    processor: processorTable(root),
    redis: redisFigures(root),
  }),
}

/** Files that name the repository and its image. Their address is package.json's `repository`. */
const ADDRESSED = [
  'package.json',
  'README.md',
  'packages/client/README.md',
  'packages/gate/README.md',
  'packages/wordpress/readme.txt',
  ...[
    'coolify.yaml',
    'easypanel.json',
    'human-verification.container',
    'human-verification.nomad.hcl',
  ].map((file) => `deploy/platforms/${file}`),
]
const ADDRESS = /https:\/\/(?:github\.com|gitlab\.com|codeberg\.org)\/[\w-]+\/[\w-]+/g

/** Writes the address of the repository, and the name of its image at ghcr.io, wherever a text has one. */
function addressed(root: string, text: string): string {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    repository: { url: string }
  }
  const address = repository.url.replaceAll(/^git\+|\.git$/g, '')
  const name = new URL(address).pathname.toLowerCase()
  return text.replaceAll(ADDRESS, address).replaceAll(/ghcr\.io\/[\w-]+\/[\w-]+/g, `ghcr.io${name}`)
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
  for (const file of ADDRESSED) {
    const text = made.get(file) ?? readFileSync(join(root, file), 'utf8')
    made.set(file, addressed(root, text))
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
