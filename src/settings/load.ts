import { hash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { applyWeightChanges } from '../score/weight-changes.ts'
import type { Site } from '../domain/site.ts'
import { type VisitRule, visitRule } from '../domain/site-rules/visit-rules.ts'
import { seconds } from '../domain/words.ts'
import { leastHumanCost } from '../work/difficulty.ts'
import { crossCheck } from './checks.ts'
import { compile, type JsonSchema, MOST_FINDINGS } from '../schema/json-schema.ts'
import { readText } from '../schema/kinds.ts'
import { ConfigError, type Finding, isGroup, type Problem } from '../schema/problem.ts'
import { DEFAULT_FILE, parseSources, readSources, type Sources } from './sources.ts'
import { CONFIG, type ConfigValues, type SiteValues, type Written } from './table.ts'

/** The whole configuration: checked, complete, deeply frozen. */
export interface Config extends Omit<ConfigValues, 'sites' | 'score' | 'version'> {
  /** The file that it was read from; in a folder, the one with everything but the sites. */
  readonly file: string
  /** The folder that it was read from; undefined for a single file. */
  readonly folder: string | undefined
  /** Hash of all files. */
  readonly digest: string
  readonly sites: readonly Site[]
}

/** The environment variables that override the file. */
const OVERRIDES = [
  ['HV_LISTEN', 'listen'],
  ['HV_OPS_LISTEN', 'ops_listen'],
  ['HV_KEYRING', 'keyring'],
  ['HV_LOG_LEVEL', 'log_level'],
  ['HV_REDIS_URL', 'redis'],
] as const

type Variable = (typeof OVERRIDES)[number][0]
export type Environment = Readonly<Partial<Record<Variable | 'HV_CONFIG', string | undefined>>>

const TABLE = CONFIG as unknown as JsonSchema
const check = compile(TABLE, { all: true })

/**
 * Returns `--config`, else `HV_CONFIG`, else `config/config.yaml`, or `config` as a folder.
 *
 * @throws {ConfigError} if one of them is empty: it would be read as the working directory.
 */
export function configFile(option: string | undefined, env: Environment): string {
  const file = option ?? env.HV_CONFIG ?? DEFAULT_FILE
  if (file.trim() !== '') return file
  const where = option === undefined ? 'HV_CONFIG' : '--config'
  throw new ConfigError(where, [emptyValue(where)])
}

const MORE: Problem = { where: 'others', says: 'are not listed: fix these first' }

const emptyValue = (where: string): Problem => ({
  where,
  says: 'is empty: give a value, or unset it',
})

/**
 * Reads a file (or folder) and the environment into one frozen configuration.
 *
 * @param file relative to `cwd`; problems name it as given.
 * @throws {ConfigError} with every problem at once, and nothing else, whatever the files contain.
 */
export const loadConfig = (file: string, env: Environment, cwd: string = process.cwd()): Config =>
  checkSources(readSources(file, cwd), env, cwd)

/** Checks a text that is not in a file. @throws {ConfigError} as `loadConfig`. */
export const checkConfig = (
  text: string,
  file: string,
  env: Environment,
  cwd: string = process.cwd(),
): Config =>
  checkSources(
    {
      location: file,
      main: { file, path: resolve(cwd, file), text },
      sites: [],
      folder: undefined,
    },
    env,
    cwd,
  )

/** Checks files that were read, and perhaps edited. @throws {ConfigError} as `loadConfig`. */
export const checkSources = (sources: Sources, env: Environment, cwd: string): Config =>
  buildConfig(checkedSources(sources, env, cwd))

/** The slow part of `checkSources`; its result can be posted from a thread. @throws {ConfigError} as `loadConfig`. */
export function checkedSources(sources: Sources, env: Environment, cwd: string) {
  const source = parseSources(sources)
  const { file } = sources.main
  const given = OVERRIDES.map(([variable, name]) => ({ variable, name, text: env[variable] ?? '' }))
  const applied = given.filter(({ text }) => text.trim() !== '')
  const empty = given.filter((each) => env[each.variable] !== undefined && !applied.includes(each))
  const value = override(source.value, applied, cwd)
  const checked = check(value)
  const findings = checked.ok ? [] : [...checked.findings]
  const right = findings.length < MOST_FINDINGS ? withoutWrong(value, findings) : undefined
  if (right) findings.push(...first(MOST_FINDINGS - findings.length, crossCheck(right)))
  // Only the first problem of each place is reported.
  const distinct = new Map(
    findings.map((each) => [JSON.stringify(each.path), each] as const).toReversed(),
  )
  const problems = [...distinct.values()].flatMap((finding): readonly Problem[] => {
    const [top, inner] = finding.path
    const by = applied.find(({ name }) => name === top && (name !== 'redis' || inner === 'url'))
    return by === undefined
      ? source.problemOf(finding)
      : [{ where: by.variable, says: finding.says }]
  })
  const all = [
    ...source.problems,
    ...empty.map(({ variable }) => emptyValue(variable)),
    ...problems,
  ].sort(byPlace)
  const listed = all.length < MOST_FINDINGS ? all : [...all.slice(0, MOST_FINDINGS), MORE]
  if (all.length > 0) throw new ConfigError(sources.location, listed)
  const digest = hash('sha256', JSON.stringify(sources))
  return { value, file, folder: sources.folder, digest, base: resolve(cwd, dirname(file)) }
}

/** Returns the first items of a sequence; the others are not computed. */
function first<T>(most: number, sequence: Iterable<T>): readonly T[] {
  const items: T[] = []
  for (const item of sequence) {
    items.push(item)
    if (items.length === most) break
  }
  return items
}

/** A valid configuration: the values as written, with the defaults. Relative paths start at `base`. */
export type Checked = ReturnType<typeof checkedSources>

/** Merges the environment into the file's values, so that the same checks apply to both. */
function override(
  file: unknown,
  applied: readonly { name: string; text: string }[],
  cwd: string,
): unknown {
  if (!isGroup(file)) return file
  const value = ({ name, text }: (typeof applied)[number]): unknown => {
    if (name === 'redis') return redisAt(text, file[name])
    // The path in a variable starts at the working directory, not at the file.
    return name === 'keyring' ? resolve(cwd, text) : text
  }
  return { ...file, ...Object.fromEntries(applied.map((each) => [each.name, value(each)])) }
}

/** Replaces the address and users in the file with the url; the prefix stays, since another one would mean other keys. */
function redisAt(url: string, inFile: unknown): object {
  const { key_prefix, ca } = isGroup(inFile) ? inFile : {}
  const hasCa = ca !== undefined && url.startsWith('rediss:')
  return { url, ...(key_prefix !== undefined && { key_prefix }), ...(hasCa && { ca }) }
}

/** Returns a copy in which wrong values are undefined, with their names kept; unknown names are removed. */
function withoutWrong(value: unknown, findings: readonly Finding[]): Written | undefined {
  const top = { file: structuredClone(value) }
  for (const { path, atKey } of findings) {
    const [name, ...above] = ['file', ...path].toReversed() as [string, ...string[]]
    const group = above.reduceRight<unknown>(
      (at, step) => (at as Record<string, unknown> | undefined)?.[step],
      top,
    )
    if (typeof group !== 'object' || group === null) continue
    if (atKey) delete (group as Record<string, unknown>)[name]
    else (group as Record<string, unknown>)[name] = undefined
  }
  return top.file as Written | undefined
}

/** Compares by file, line and column; problems without a place come last. */
function byPlace(a: Problem, b: Problem): number {
  if (a.file !== b.file) return (a.file ?? '') < (b.file ?? '') ? -1 : 1
  return (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0) || 0
}

/** Reads every text, and computes defaults that depend on other settings. */
export function buildConfig({ value, file, folder, digest, base }: Checked): Config {
  const { version: _format, score, sites, ...rest } = valueOf(TABLE, value, base) as ConfigValues
  return deepFreeze({
    ...rest,
    file,
    folder,
    digest,
    sites: sites.map((site) => siteOf(site, score)),
  })
}

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())

function valueOf({ items, properties, kind }: JsonSchema, value: unknown, base: string): unknown {
  if (Array.isArray(value)) return items ? value.map((item) => valueOf(items, item, base)) : value
  if (properties !== undefined && typeof value === 'object') {
    const members = Object.entries(value as object)
    return Object.fromEntries(
      members.map(
        ([name, inner]) => [camelCase(name), valueOf(properties[name]!, inner, base)] as const,
      ),
    )
  }
  if (kind === undefined) return value
  const { value: meaning } = readText(value as string, kind)
  return kind.is === 'path' ? resolve(base, meaning as string) : meaning
}

/** Default of human_cost, in seconds. */
const HUMAN_COST = 2

function siteOf({ score, rules, ...site }: SiteValues, common: ConfigValues['score']) {
  const { hostnames, work } = site
  const policies = site.actions?.map((each) => (typeof each === 'string' ? { name: each } : each))
  const actions = policies?.map(({ name }) => name)
  const only = actions?.length === 1 ? actions[0] : undefined
  return {
    ...site,
    actions,
    actionThresholds: new Map(policies?.map(({ name, ...thresholds }) => [name, thresholds])),
    name: site.name ?? hostnames[0]!,
    ...(only !== undefined && { defaultAction: site.defaultAction ?? only }),
    work: {
      ...work,
      humanCost: work.humanCost ?? seconds(Math.max(HUMAN_COST, leastHumanCost(work.level))),
    },
    rules: rules.map(ruleOf),
    weights: applyWeightChanges(common, score),
  } satisfies Site
}

type RuleValues = SiteValues['rules'][number]

const ruleOf = ({ name, when, effect, until }: RuleValues): VisitRule =>
  visitRule({ name, when, effect: effectOf(effect), until })

function effectOf({ allow, deny, score = 0, work }: RuleValues['effect']): VisitRule['effect'] {
  if (allow) return { kind: 'allow' }
  if (deny) return { kind: 'deny' }
  return { kind: 'adjust', score, work }
}

/** Freezes a value and everything in it. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
