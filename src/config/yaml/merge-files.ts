import type { Path } from '../../schema/schema.ts'
import type { Problem } from '../config.ts'
import type { Finding } from '../finding.ts'
import { formatPath } from '../path.ts'
import { parseText, type Source } from './parse.ts'
import type { SourceFile, Sources } from './sources.ts'

/** All files as if they were one: each site's is an item of `sites`, behind those that the main file has itself. */
export function parseSources({ main, sites: siteFiles, folder }: Sources): Source {
  const own = parsed(main)
  if (folder === undefined) return own
  const first = sitesOf(own.value).length
  const sites = siteFiles.map((each) => ({ ...each, source: parsed(each) }))
  // One that is not YAML at all has its problem; it takes no place in the list.
  const listed = sites.filter(({ source }) => source.value !== undefined)

  interface Inside {
    readonly source: Source
    readonly file: string
    readonly inner: (path: Path) => Path
  }
  const whole: Inside = { source: own, file: main.file, inner: (path) => path }
  function at(path: Path): Inside {
    const site = path[0] === 'sites' && typeof path[1] === 'number' ? listed[path[1] - first] : undefined
    return site ? { source: site.source, file: site.file, inner: (each) => each.slice(2) } : whole
  }
  function inside({ path, near, ...rest }: Finding): Inside & { readonly finding: Finding } {
    const place = at(path)
    return { ...place, finding: { ...rest, path: place.inner(path), ...(near && { near: place.inner(near) }) } }
  }
  return {
    value: withSites(
      own.value,
      listed.map(({ source }) => source.value),
    ),
    findings: [
      ...own.findings,
      ...listed.flatMap(({ source }, index) =>
        source.findings.map((each) => ({ ...each, path: ['sites', first + index, ...each.path] })),
      ),
    ],
    broken: [
      ...own.broken.map(filed(main.file)),
      ...sites.flatMap(({ source, file }) => source.broken.map(filed(file))),
    ],
    name(path, from) {
      const place = at(path)
      const name = formatPath(place.inner(path))
      return from === undefined || at(from).file === place.file ? name : `${name} of ${place.file}`
    },
    spot(finding) {
      const { source, file, finding: inner } = inside(finding)
      return { ...source.spot(inner), file }
    },
    believes(finding) {
      const { source, finding: inner } = inside(finding)
      return source.believes(inner)
    },
  }
}

/** With the name of the file it is in. */
const filed =
  (file: string) =>
  (each: Problem): Problem => ({ ...each, file })

function parsed({ text }: SourceFile): Source {
  if (typeof text === 'string') return parseText(text)
  return {
    value: undefined,
    findings: [],
    broken: text.problems,
    name: formatPath,
    spot: () => ({ line: 1, column: 1 }),
    believes: () => false,
  }
}

function sitesOf(value: unknown): readonly unknown[] {
  const sites = typeof value === 'object' && value !== null ? (value as { sites?: unknown }).sites : undefined
  return Array.isArray(sites) ? sites : []
}

function withSites(value: unknown, more: readonly unknown[]): unknown {
  // Without a main file that can be read, each site is looked at all the same.
  if (value === undefined || value === null) return { sites: more }
  if (typeof value !== 'object' || Array.isArray(value)) return value
  const { sites } = value as { sites?: unknown }
  // A wrong `sites` of the main file stays wrong.
  if (sites !== undefined && sites !== null && !Array.isArray(sites)) return value
  return { ...value, sites: [...sitesOf(value), ...more] }
}
