import { dirname, resolve } from 'node:path'
import { changedWeights, type Weights } from '../score/weights.ts'
import { type VisitRule, visitRule } from '../domain/site-rules/visit-rules.ts'
import { seconds, type Seconds } from '../domain/words.ts'
import { leastHumanCost } from '../work/difficulty.ts'
import { crossCheck } from './checks.ts'
import { DEFAULT_FILE, oneSource, readSources, type Sources } from './files.ts'
import { compile, type JsonSchema } from './json-schema.ts'
import { readText } from './kinds.ts'
import { ConfigError, type Finding, formatPath, type Path, type Problem } from './problem.ts'
import { CONFIG, type ConfigValues, REMOVED_SETTINGS, type SiteValues } from './table.ts'
import { parseSources } from './yaml-source.ts'

/** Everything that was decided before the first request: checked, complete, deeply frozen. */
export interface Config extends Omit<ConfigValues, 'sites' | 'score' | 'version'> {
  /** The file it was read from; of a folder, the one that has all but the sites. */
  readonly file: string
  /** The folder it was read from; undefined: one file. */
  readonly folder: string | undefined
  readonly sites: readonly Site[]
}

/** One customer property: its sitekey, the hashes of its secrets, and its policy. */
export interface Site extends Omit<SiteValues, 'score' | 'rules' | 'work' | 'name'> {
  readonly name: string
  readonly work: SiteValues['work'] & { readonly humanCost: Seconds }
  /** In order; the first that a visit meets counts. */
  readonly rules: readonly VisitRule[]
  readonly weights: Weights
}

/** The environment variables that override the file. */
const OVERRIDES = {
  HV_LISTEN: 'listen',
  HV_OPS_LISTEN: 'ops_listen',
  HV_KEYRING: 'keyring',
  HV_LOG_LEVEL: 'log_level',
  HV_REDIS_URL: 'redis',
} as const

type Variable = keyof typeof OVERRIDES
export type Environment = Readonly<Partial<Record<Variable | 'HV_CONFIG', string | undefined>>>

const TABLE = CONFIG as unknown as JsonSchema
const check = compile(TABLE, { all: true, removed: REMOVED_SETTINGS })

/**
 * Returns `--config`, else `HV_CONFIG`, else `config/config.yaml`, or `config` as a folder.
 *
 * @throws {ConfigError} when one is there but empty: it would be read as the working directory.
 */
export function configFile(option: string | undefined, env: Environment): string {
  const file = option ?? env.HV_CONFIG ?? DEFAULT_FILE
  if (file.trim() !== '') return file
  const where = option === undefined ? 'HV_CONFIG' : '--config'
  throw new ConfigError(where, [emptyValue(where)])
}

const emptyValue = (where: string): Problem => ({ where, says: 'is empty: give a value, or unset it' })

/**
 * Reads a file (or folder) and the environment into one frozen configuration.
 *
 * @param file relative to `cwd`; named in problems as it is given.
 * @throws {ConfigError} with every problem at once; never anything else, whatever the files hold.
 */
export const loadConfig = (file: string, env: Environment, cwd: string = process.cwd()): Config =>
  checkSources(readSources(file, cwd), env, cwd)

/** Checks a text that is not in the file yet. @throws {ConfigError} as `loadConfig`. */
export const checkConfig = (text: string, file: string, env: Environment, cwd: string = process.cwd()): Config =>
  checkSources(oneSource(file, cwd, text), env, cwd)

/** Checks files that were read, and perhaps edited since. @throws {ConfigError} as `loadConfig`. */
export const checkSources = (sources: Sources, env: Environment, cwd: string): Config =>
  buildConfig(checkedSources(sources, env, cwd))

/** A configuration without a problem: the values as they were written, with the defaults. */
export interface Checked {
  readonly value: unknown
  readonly file: string
  readonly folder: string | undefined
  /** Where relative paths start. */
  readonly base: string
}

/** The part of `checkSources` that takes its time; its result can leave a thread. @throws {ConfigError} as `loadConfig`. */
export function checkedSources(sources: Sources, env: Environment, cwd: string): Checked {
  const source = parseSources(sources)
  const { file } = sources.main
  const { value, empty, variableOf } = override(source.value, env, cwd)
  const read = source.findings.filter(({ path }) => variableOf(path) === undefined)
  const checked = check(value)
  const certain = [...read, ...(checked.ok ? [] : checked.findings.filter(outside(read)))]
  const fitting = [...crossCheck(rightTypes(TABLE, value) ?? {})]
  const findings = [...certain, ...fitting.filter(outside(certain))]
  const problems = findings.flatMap((finding): readonly Problem[] => {
    const { path, says, sameAs } = finding
    const sentence = sameAs === undefined ? says : `is the same as ${source.name(sameAs, path)}${says}`
    const variable = variableOf(path)
    if (variable !== undefined) return [{ where: variable, says: sentence }]
    return source.believes(finding) ? [{ ...source.spot(finding), where: source.name(path), says: sentence }] : []
  })
  const all = [...source.broken, ...empty, ...problems].sort(byPlace)
  if (all.length > 0) throw new ConfigError(sources.location, all)
  return { value, file, folder: sources.folder, base: resolve(cwd, dirname(file)) }
}

/**
 * Lays the environment over the file, so that one set of checks serves both.
 *
 * @returns as `empty` the variables that are there but empty, since no bad setting quietly becomes a default.
 */
function override(file: unknown, env: Environment, cwd: string) {
  const set = Object.entries(OVERRIDES).map(([variable, name]) => ({ variable, name, text: env[variable as Variable] }))
  const empty = set.filter(({ text }) => text?.trim() === '').map(({ variable }) => emptyValue(variable))
  const applied = set.filter(({ text = '' }) => text.trim() !== '')
  const variableOf = ([top, inner]: Path): string | undefined =>
    applied.find(({ name }) => name === top && (name !== 'redis' || inner === 'url'))?.variable
  if (!isGroup(file)) return { value: file, empty, variableOf }
  const read = ({ name, text = '' }: (typeof set)[number]): unknown => {
    if (name === 'keyring') return resolve(cwd, text)
    if (name !== 'redis') return text
    // The address replaces whichever way the file has, users included; the prefix stays, or the keys would be others.
    const { key_prefix, ca } = isGroup(file['redis']) ? file['redis'] : {}
    const isEncrypted = text.startsWith('rediss:')
    return {
      url: text,
      ...(key_prefix !== undefined && { key_prefix }),
      ...(ca !== undefined && isEncrypted && { ca }),
    }
  }
  const values = applied.map((each) => [each.name, read(each)] as const)
  return { value: { ...file, ...Object.fromEntries(values) }, empty, variableOf }
}

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns what has the type that the table asks for; the rest is undefined, and stays there as a name. */
function rightTypes(schema: JsonSchema, value: unknown): unknown {
  const { type, properties, additionalProperties: others, items } = schema
  if (type === 'array') return Array.isArray(value) ? value.map((item) => rightTypes(items!, item)) : undefined
  if (type !== 'object') return typeof value === (type === 'integer' ? 'number' : type) ? value : undefined
  if (!isGroup(value)) return undefined
  const members = Object.entries(value).flatMap(([name, inner]) => {
    const expected = properties?.[name] ?? (typeof others === 'object' ? others : undefined)
    return expected ? [[name, rightTypes(expected, inner)] as const] : []
  })
  return Object.fromEntries(members)
}

/** One place has one problem, the most telling first: the inside of a wrong value is not looked at. */
function outside(earlier: readonly Finding[]): (finding: Finding) => boolean {
  const wrong = new Set(earlier.filter(({ offset }) => offset === undefined).map(({ path }) => formatPath(path)))
  return ({ path }) => !path.some((_, index) => wrong.has(formatPath(path.slice(0, index + 1)))) && !wrong.has('file')
}

/** By file, line and column; what has none comes last. */
function byPlace(a: Problem, b: Problem): number {
  if (a.file !== b.file) return (a.file ?? '') < (b.file ?? '') ? -1 : 1
  return (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0) || 0
}

/** Reads every text, and works out what is left out because of another setting. Only for a value that passed the checks. */
export function buildConfig({ value, file, folder, base }: Checked): Config {
  const { version: _format, score, sites, ...rest } = valueOf(TABLE, value, base) as ConfigValues
  return deepFreeze({ ...rest, file, folder, sites: sites.map((site) => siteOf(site, score)) })
}

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())

function valueOf({ items, properties, kind }: JsonSchema, value: unknown, base: string): unknown {
  if (Array.isArray(value)) return items ? value.map((item) => valueOf(items, item, base)) : value
  if (properties !== undefined) {
    const members = Object.entries(value as object)
    return Object.fromEntries(
      members.map(([name, inner]) => [camelCase(name), valueOf(properties[name]!, inner, base)] as const),
    )
  }
  if (kind === undefined) return value
  const { value: meaning } = readText(value as string, kind)
  return kind.is === 'path' ? resolve(base, meaning as string) : meaning
}

/** Seconds that the work may take where the site does not say. */
const HUMAN_COST = 2

function siteOf({ score, rules, ...site }: SiteValues, common: ConfigValues['score']): Site {
  const { hostnames, actions, work } = site
  const only = actions?.length === 1 ? actions[0] : undefined
  return {
    ...site,
    name: site.name ?? hostnames[0]!,
    ...(only !== undefined && { defaultAction: site.defaultAction ?? only }),
    work: { ...work, humanCost: work.humanCost ?? seconds(Math.max(HUMAN_COST, leastHumanCost(work.level))) },
    rules: rules.map(ruleOf),
    weights: changedWeights(common, score),
  }
}

function ruleOf({ name, when, effect, until }: SiteValues['rules'][number]): VisitRule {
  const { allow, deny, score = 0, work } = effect
  const kind = allow ? 'allow' : deny ? 'deny' : 'adjust'
  return visitRule({ name, when, effect: kind === 'adjust' ? { kind, score, work } : { kind }, until })
}

/** Freezes a configuration after its check. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
