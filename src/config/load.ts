import type { Path } from '../schema/schema.ts'
import { build } from './build.ts'
import { parseSources } from './yaml/merge-files.ts'
import { type Config, ConfigError, type Environment, type Problem } from './config.ts'
import { emptyValue, override } from './environment.ts'
import type { Finding } from './finding.ts'
import { fromSchema } from './hint.ts'
import { formatPath } from './path.ts'
import { ruleFindings } from './checks/checks.ts'
import { checkShape } from './schema/schema.ts'
import { DEFAULT_FILE, oneSource, readSources, type Sources } from './yaml/sources.ts'

/**
 * `--config`, else `HV_CONFIG`, else `config/config.yaml`, or `config` as a folder.
 *
 * @throws {ConfigError} when one is there but empty: it would be read as the working directory.
 */
export function configFile(option: string | undefined, env: Environment): string {
  const file = option ?? env.HV_CONFIG ?? DEFAULT_FILE
  if (file.trim() !== '') return file
  const where = option === undefined ? 'HV_CONFIG' : '--config'
  throw new ConfigError(where, [emptyValue(where)])
}

/**
 * File (or folder) and environment to one frozen configuration.
 *
 * @param file relative to `cwd`; named in problems as it is given.
 * @param cwd where relative paths start.
 * @throws {ConfigError} with every problem at once; never anything else, whatever the files hold.
 */
export function loadConfig(file: string, env: Environment, cwd: string = process.cwd()): Config {
  return checkSources(readSources(file, cwd), env, cwd)
}

/**
 * The same for a text that is not in the file yet.
 *
 * @throws {ConfigError} as `loadConfig`.
 */
export function checkConfig(text: string, file: string, env: Environment, cwd: string = process.cwd()): Config {
  return checkSources(oneSource(file, cwd, text), env, cwd)
}

/**
 * The same for files that were read, and perhaps edited since.
 *
 * @throws {ConfigError} as `loadConfig`.
 */
export function checkSources(sources: Sources, env: Environment, cwd: string): Config {
  const source = parseSources(sources)
  const { file } = sources.main
  const { value, problems: empty, variableOf } = override(source.value, env)

  const shape = checkShape(value)
  const read = source.findings.filter(({ path }) => variableOf(path) === undefined)
  const shaped = shape.ok ? [] : shape.problems.map((each) => fromSchema(each, valueAt(value, each.path)))
  const certain = [...read, ...shaped.filter(outside(read))]
  const findings = [...certain, ...[...ruleFindings(value, env)].filter(outside(certain))]

  const place = (finding: Finding): Problem => {
    const { path, near = path, says, sameAs } = finding
    const spot = variableOf(near) === undefined ? source.spot(finding) : NOWHERE
    const sentence = sameAs === undefined ? says : `is the same as ${source.name(sameAs, path)} ${says}`
    return { ...spot, where: variableOf(path) ?? source.name(path), says: sentence }
  }
  const believed = findings.filter((finding) => variableOf(finding.path) !== undefined || source.believes(finding))
  const all = [...source.broken, ...empty, ...believed.map(place)].sort(byPlace)
  if (all.length > 0) throw new ConfigError(sources.location, all)
  if (!shape.ok) throw new Error('a shape was refused without a problem')

  const keyringFromEnvironment = variableOf(['keyring']) !== undefined
  return build(shape.value, { file, folder: sources.folder, cwd, keyringFromEnvironment })
}

/** What an environment variable set has no place in the file. */
const NOWHERE = { line: undefined, column: undefined }

/** One place has one problem, the most telling first: what is inside of a wrong value is not looked at. */
function outside(earlier: readonly Finding[]): (finding: Finding) => boolean {
  const wrong = new Set(earlier.filter(({ offset }) => offset === undefined).map(({ path }) => formatPath(path)))
  return ({ path }) => !path.some((_, index) => wrong.has(formatPath(path.slice(0, index + 1)))) && !wrong.has('file')
}

/** By file, line and column; what has none comes last. */
function byPlace(a: Problem, b: Problem): number {
  if (a.file !== b.file) return (a.file ?? '') < (b.file ?? '') ? -1 : 1
  return (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0) || 0
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : undefined),
    value,
  )
}
