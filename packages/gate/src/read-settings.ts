/** Reads a configuration, or says everything that is wrong with it: where, what was expected, what was found. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Ajv, type ErrorObject } from 'ajv'
import leven from 'leven'
import { type Document, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { type Key, readKeys } from './keys.ts'
import { type GateSettings, SETTINGS, type Settings } from './settings.ts'

type Path = readonly (string | number)[]
type Finding = readonly [path: Path, says: string]

/** One policy, with the secret of its site. */
export type Gate = GateSettings & { readonly secret: string }
/** A configuration that can be used, with what its files hold. */
export type Configuration = Omit<Settings, 'gates'> & {
  readonly gates: readonly Gate[]
  readonly keys: readonly Key[]
  /** Every file that was read, absolute. */
  readonly files: readonly string[]
}

/** The configuration cannot be used. The message names every problem, each on a line of its own. */
export class SettingsError extends Error {}

interface Place {
  readonly parentData: object
  readonly parentDataProperty: PropertyKey
}
/** Reads a text, and puts the value in its place. */
function read(of: (text: string) => unknown, text: string, _schema: unknown, place?: Place): boolean {
  const value = of(text)
  return value !== undefined && Reflect.set(place!.parentData, place!.parentDataProperty, value)
}
const keyword = { keyword: 'read', type: 'string', modifying: true, validate: read } as const
const how = { allErrors: true, verbose: true, useDefaults: true, ownProperties: true }
const validate = new Ajv({ ...how, keywords: ['expected', keyword] }).compile<Settings>(SETTINGS)

/** @throws {SettingsError} or an error of the file system. */
export function readSettings(file: string): Configuration {
  const lineCounter = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), { stringKeys: true, prettyErrors: false, lineCounter })
  const report = (rows: readonly (readonly [offset: number, says: string])[]): SettingsError => {
    const places = rows
      .map(([offset]) => lineCounter.linePos(offset))
      .map(({ line, col }) => `${line}:${col}`.padEnd(7))
    const told = rows.map(([, says], i) => `  ${places[i]}${says}`)
    return new SettingsError([`${file}: ${told.length} ${told.length === 1 ? 'error' : 'errors'}`, ...told].join('\n'))
  }
  const slips = [...document.errors, ...document.warnings].map(({ message, pos }) => [pos[0], message] as const)
  const hint = 'is a text with a star, which needs quotes: "*.example.com"'
  visit(document, { Alias: (_key, { range }) => void slips.push([range![0], hint]) })
  if (slips.length > 0) throw report(slips)

  const value = document.toJS() as Settings
  const findings = validate(value) ? [] : validate.errors!.map(findingOf)
  const whole = findings.length > 0 ? undefined : withFiles(value, resolve(file), findings)
  if (whole && findings.length === 0) return whole
  throw report(findings.map(([path, says]) => [offsetOf(document, path), `${nameOf(path).padEnd(24)}  ${says}`]))
}

const secretIn = (text: string): string | undefined => /^hv_secret_\S+(?=\s*$)/.exec(text)?.[0]

/** Reads the files that settings name, and finds hosts that have two policies. */
function withFiles(settings: Settings, file: string, findings: Finding[]): Configuration {
  const files = [file]
  function contentOf<T>(path: Path, name: string, expected: string, parse: (text: string) => T): T | undefined {
    const place = resolve(dirname(file), name)
    files.push(place)
    try {
      const value = parse(readFileSync(place, 'utf8'))
      if (value === undefined) findings.push([path, `expected ${expected} in ${place}`])
      return value
    } catch (error) {
      findings.push([path, `cannot be read: ${place} (${(error as NodeJS.ErrnoException).code ?? 'not JSON'})`])
      return undefined
    }
  }
  const hosts = new Set<string>()
  const gates = settings.gates.map((gate, i) => {
    for (const [j, host] of gate.hosts.entries())
      if (hosts.size === hosts.add(host).size) findings.push([['gates', i, 'hosts', j], 'is repeated'])
    const path = ['gates', i, 'secret_file']
    return { ...gate, secret: contentOf(path, gate.secret_file, 'one line hv_secret_…', secretIn) ?? '' }
  })
  const keys = contentOf(['key_file'], settings.key_file, 'keys of hv-gate keygen', readKeys) ?? []
  return { ...settings, gates, keys, files }
}

/** Returns what a careful reader would ask about: patterns that let in by the end of a path alone. */
export const warningsOf = ({ gates }: Configuration): readonly string[] =>
  gates
    .flatMap(({ rules }) => rules.filter(({ effect }) => effect === 'allow'))
    .flatMap(({ when }) => (when.path ?? []).filter((pattern) => /^\/\*./.test(pattern)))
    .map((pattern) => `${pattern} lets in every path with this end`)

interface Words {
  readonly expected: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Words>>
}

function findingOf({ instancePath, keyword: rule, params, parentSchema, data }: ErrorObject): Finding {
  const { properties = {}, expected, enum: choices = [] } = parentSchema as Words
  const steps = instancePath.split('/').slice(1)
  const path = steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))
  const name = String(params['missingProperty'] ?? params['additionalProperty'])
  if (rule === 'required') return [[...path, name], `is missing: expected ${properties[name]!.expected}`]
  if (rule === 'additionalProperties')
    return [[...path, name], `is unknown${didYouMean(name, Object.keys(properties))}`]
  return [path, `expected ${expected}, got ${show(data)}${didYouMean(String(data), choices)}`]
}

function didYouMean(name: string, names: readonly string[]): string {
  const near = names.find((each) => leven(name, each) < 3 || each.endsWith(`_${name}`) || each.startsWith(`${name}_`))
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

/** Returns what was found, short and on one line; never what may be a secret. */
function show(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a group of settings'
  const text = JSON.stringify(value)
  return /hv_secret|\S@\S/.test(text) ? 'what may be a secret' : text.slice(0, 60)
}

const nameOf = (path: Path): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')

/** Finds where a value begins; for what is missing or left empty, the group around it. */
function offsetOf(document: Document, path: Path): number {
  const node = document.getIn(path, true) as Node | undefined
  return node?.range?.[0] ?? (path.length > 0 ? offsetOf(document, path.slice(0, -1)) : 0)
}
