/** Reads a configuration, or says everything that is wrong with it: where, what was expected, what was found. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Ajv, type ErrorObject, type FuncKeywordDefinition } from 'ajv'
import leven from 'leven'
import { type Document, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { readKeys } from './clearances.ts'
import { SETTINGS, type Settings } from './settings.ts'

/** A configuration that can be used, with what its files hold. */
export type Configuration = ReturnType<typeof readSettings>
export type Gate = Configuration['gates'][number]

/** The configuration cannot be used. The message names every problem, each on a line of its own. */
export class SettingsError extends Error {}

/** Reads a text, and puts the value in its place. */
const keyword: FuncKeywordDefinition = {
  keyword: 'read',
  type: 'string',
  modifying: true,
  validate(read: (text: string) => unknown, text: string, _schema, place) {
    const value = read(text)
    return value !== undefined && Reflect.set(place!.parentData, place!.parentDataProperty, value)
  },
}
const how = { allErrors: true, verbose: true, useDefaults: true, ownProperties: true }
const validate = new Ajv({ ...how, keywords: ['expected', keyword] }).compile<Settings>(SETTINGS)

const secretIn = (text: string): string | undefined => /^hv_secret_\S+(?=\s*$)/.exec(text)?.[0]

/** @param watch gets every file that is read, or is missing. @throws {SettingsError} or an error of the file system. */
export function readSettings(file: string, watch: (file: string) => void = () => {}) {
  watch(resolve(file))
  const lineCounter = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), {
    stringKeys: true,
    prettyErrors: false,
    lineCounter,
  })
  const problems: string[] = []
  function add(offset: number, says: string): void {
    const { line, col } = lineCounter.linePos(offset)
    problems.push(`\n  ${`${line}:${col}`.padEnd(7)}${says}`)
  }
  /** @param path as a JSON pointer. */
  function found(path: string, says: string): void {
    const name = path
      .slice(1)
      .replaceAll(/\/(?:(\d+)(?=\/|$))?/g, (_, index?: string) => (index ? `[${index}]` : '.'))
    add(offsetOf(document, path), `${name.padEnd(24)}  ${says}`)
  }
  function throwAny(): void {
    const count = `${problems.length} ${problems.length === 1 ? 'error' : 'errors'}`
    if (problems.length > 0) throw new SettingsError(`${file}: ${count}${problems.join('')}`)
  }

  for (const { pos, message } of [...document.errors, ...document.warnings]) add(pos[0], message)
  visit(document, {
    Alias: (_key, { range }) => add(range![0], 'a text with a star needs quotes: "*.example.com"'),
  })
  throwAny()
  const settings = document.toJS() as Settings
  if (!validate(settings)) for (const error of validate.errors!) found(...findingOf(error))
  throwAny()

  function contentOf<T>(
    path: string,
    name: string,
    expected: string,
    parse: (text: string) => T,
  ): T | undefined {
    const place = resolve(dirname(file), name)
    watch(place)
    try {
      if (process.platform !== 'win32' && (statSync(place).mode & 0o007) !== 0)
        found(path, `others on this machine can read or change it; run: chmod o-rwx ${place}`)
      const value = parse(readFileSync(place, 'utf8'))
      if (value !== undefined) return value
      found(path, `expected ${expected} in ${place}`)
    } catch (error) {
      found(
        path,
        `cannot be read: ${place} (${(error as NodeJS.ErrnoException).code ?? 'not JSON'})`,
      )
    }
    return undefined
  }
  const hosts = new Set<string>()
  const gates = settings.gates.map((gate, i) => {
    for (const [j, host] of gate.hosts.entries())
      if (hosts.size === hosts.add(host).size) found(`/gates/${i}/hosts/${j}`, 'is repeated')
    const secret = contentOf(
      `/gates/${i}/secret_file`,
      gate.secret_file,
      'one line hv_secret_…',
      secretIn,
    )
    return { ...gate, secret: secret ?? '' }
  })
  const keys = contentOf('/key_file', settings.key_file, 'keys of hv-gate keygen', readKeys) ?? []
  throwAny()
  return { ...settings, gates, keys }
}

/** Returns what a careful reader would ask about: patterns that let in by the end of a path alone. */
export const warningsOf = ({ gates }: Configuration): readonly string[] =>
  gates
    .flatMap(({ rules }) =>
      rules.flatMap(({ effect, when }) => (effect === 'allow' && when.path) || []),
    )
    .filter((pattern) => /^\/\*./.test(pattern))
    .map((pattern) => `${pattern} lets in every path with this end`)

type Words = Readonly<{
  expected: string
  enum?: string[]
  properties?: Record<string, { expected: string }>
}>

function findingOf(error: ErrorObject): [path: string, says: string] {
  const { instancePath, keyword: rule, params, parentSchema, data } = error
  const { properties = {}, expected, enum: choices = [] } = parentSchema as Words
  const name = String(params['missingProperty'] ?? params['additionalProperty'])
  const path = `${instancePath}/${name}`
  if (rule === 'required') return [path, `is missing: expected ${properties[name]!.expected}`]
  if (rule === 'additionalProperties')
    return [path, `is unknown${didYouMean(name, Object.keys(properties))}`]
  return [
    instancePath,
    `expected ${expected}, got ${show(data)}${didYouMean(String(data), choices)}`,
  ]
}

function didYouMean(name: string, names: readonly string[]): string {
  const near = names.find(
    (each) => leven(name, each) < 3 || each.endsWith(`_${name}`) || each.startsWith(`${name}_`),
  )
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

/** Returns what was found, short and on one line; never what may be a secret. */
function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a group of settings'
  const text = JSON.stringify(value)
  return /hv_secret|\S@\S/.test(text) ? 'what may be a secret' : text.slice(0, 60)
}

/** Finds where a value begins; for what is missing or left empty, the group around it. */
function offsetOf(document: Document, path: string): number {
  const node = document.getIn(path.split('/').slice(1), true) as Node | undefined
  return (
    node?.range?.[0] ?? (path === '' ? 0 : offsetOf(document, path.slice(0, path.lastIndexOf('/'))))
  )
}
