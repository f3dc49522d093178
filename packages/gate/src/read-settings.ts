/** Reads a configuration, or says everything that is wrong with it: where, what was expected, what was found. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type AgentKeys, keysOf } from '#shared/agents/key-file'
import { ANY_AGENT } from '#shared/domain/named-agent'
import { Ajv, type FuncKeywordDefinition } from 'ajv'
import { fetchedFileOf, readFetched } from './fetched-lists.ts'
import { findingOf } from './findings.ts'
import { GUESTS, LIST_NAMES } from './guest-lists.ts'
import { needingPath, oldGuests, rulesOfGuests } from './guests.ts'
import { readKeys } from './keys.ts'
import { Written } from './problems.ts'
import { SETTINGS, type Settings } from './settings.ts'

/** A configuration that can be used, with what its files hold. */
export type Configuration = ReturnType<typeof readSettings>
export type Gate = Configuration['gates'][number]

/** The keyword `read` of the table: reads a text, and puts the value in its place. */
const READ: FuncKeywordDefinition = {
  keyword: 'read',
  type: 'string',
  modifying: true,
  validate(read: (text: string) => unknown, text: string, _schema, place) {
    const value = read(text)
    if (value === undefined) return false
    const { parentData, parentDataProperty } = place!
    parentData[parentDataProperty] = value
    return true
  },
}
const OPTIONS = { allErrors: true, verbose: true, useDefaults: true, ownProperties: true }
const validate = new Ajv({ ...OPTIONS, keywords: ['expected', READ] }).compile<Settings>(SETTINGS)

const secretIn = (text: string): string | undefined => /^hv_secret_\S+(?=\s*$)/.exec(text)?.[0]

/** @param watch gets every file that is read, or is missing. @throws {SettingsError} or an error of the file system. */
export function readSettings(file: string, watch: (file: string) => void = () => {}) {
  watch(resolve(file))
  const written = new Written(file, readFileSync(file, 'utf8'))
  const settings = written.value() as Settings
  if (!validate(settings)) for (const error of validate.errors!) written.report(...findingOf(error))
  written.throwProblems()

  reportListeners(settings, written)
  reportRepeated(settings, written)
  reportOpenGuests(settings, written)
  reportQueriesAlone(settings, written)
  reportAgents(settings, written)
  const fetchedFile = fetchedFileOf(file)
  watch(fetchedFile)
  const fetched = readFetched(fetchedFile)
  const folder = dirname(file)
  const open = <T>(name: string, secretFile: SecretFile<T>): T | undefined =>
    contentOf(resolve(folder, name), secretFile, written, watch)
  const gates = settings.gates.map((gate, i) => {
    const place = `/gates/${i}/secret_file`
    const expected = 'one line hv_secret_…'
    const secret = open(gate.secret_file, { place, expected, parse: secretIn })
    const rules = [...gate.rules, ...rulesOfGuests(gate.guests)]
    return { ...gate, rules, secret: secret ?? '' }
  })
  const agents = settings.agents.map(({ name, url, keys, rate }, i) => ({
    name,
    url,
    rate,
    keys: keys === undefined ? undefined : agentKeysIn(resolve(folder, keys), i, written, watch),
  }))
  const expected = 'keys of hv-gate keygen'
  const keys = open(settings.key_file, { place: '/key_file', expected, parse: readKeys })
  written.throwProblems()
  return { ...settings, agents, gates, fetched, keys: keys ?? [] }
}

/** One address cannot be opened twice: `serve` would end, after `check` found nothing. */
function reportListeners({ listen, ops_listen: ops }: Settings, written: Written): void {
  if (areOne(listen, ops)) written.report('/ops_listen', 'expected another address than listen')
}

const EVERY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
function areOne(one: Settings['listen'], other: Settings['listen']): boolean {
  if ('path' in one || 'path' in other)
    return 'path' in one && 'path' in other && one.path === other.path
  if (one.port === 0 || one.port !== other.port) return false
  return one.host === other.host || EVERY_HOST.has(one.host) || EVERY_HOST.has(other.host)
}

function reportRepeated({ gates }: Settings, written: Written): void {
  const hosts = new Set<string>()
  for (const [i, gate] of gates.entries())
    for (const [j, host] of gate.hosts.entries()) {
      if (hosts.has(host)) written.report(`/gates/${i}/hosts/${j}`, 'is repeated')
      hosts.add(host)
    }
}

/** The `query` of an `allow` rule only narrows it: alone it would let everybody in everywhere. */
function reportQueriesAlone({ gates }: Settings, written: Written): void {
  for (const [i, { rules }] of gates.entries())
    for (const [j, { when, effect }] of rules.entries())
      if (effect === 'allow' && when.query && !when.path && !when.method)
        written.report(
          `/gates/${i}/rules/${j}/when`,
          'needs a path or a method: "query" says which parameters an allow rule takes',
        )
}

/** A guest whom everybody can send anywhere needs a rule that says where. */
function reportOpenGuests({ gates }: Settings, written: Written): void {
  for (const [i, { guests, rules }] of gates.entries()) {
    for (const [j, name] of guests.entries())
      if (needingPath([name]).length > 0)
        written.report(`/gates/${i}/guests/${j}`, `needs a rule with "guest: [${name}]" and a path`)
    for (const [j, { when, effect }] of rules.entries())
      if (effect === 'allow' && !when.path && needingPath(when.guest ?? []).length > 0)
        written.report(
          `/gates/${i}/rules/${j}/when`,
          `needs a path: anybody can have ${needingPath(when.guest!)[0]} call any`,
        )
  }
}

/** Names that mean nothing, and names that mean two things. */
function reportAgents({ agents, gates }: Settings, written: Written): void {
  const taken = new Set<string>([...LIST_NAMES, ...GUESTS.map(({ name }) => name)])
  for (const [i, { name }] of agents.entries()) {
    if (taken.has(name)) written.report(`/agents/${i}/name`, 'is the name of a guest, or repeated')
    taken.add(name)
  }
  const names = new Set(agents.map(({ name }) => name))
  if (names.size > 0) names.add(ANY_AGENT)
  for (const [i, { rules }] of gates.entries())
    for (const [j, { when }] of rules.entries())
      for (const [k, name] of (when.agent ?? []).entries())
        if (!names.has(name))
          written.report(
            `/gates/${i}/rules/${j}/when/agent/${k}`,
            `${name} is no name of agents${taken.has(name) ? `: a guest is named by "guest: [${name}]"` : ''}`,
          )
}

/** Returns the public keys of an agent's file. */
function agentKeysIn(
  file: string,
  index: number,
  written: Written,
  watch: (file: string) => void,
): AgentKeys {
  watch(file)
  const place = `/agents/${index}/keys`
  try {
    return keysOf(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    written.report(
      place,
      code === undefined ? `${file} ${message}` : `cannot be read: ${file} (${code})`,
    )
    return new Map()
  }
}

/** A file that only the gate may read. */
interface SecretFile<T> {
  /** Where the configuration names it. */
  readonly place: string
  readonly expected: string
  /** Returns undefined for a text that is not what is expected. */
  readonly parse: (text: string) => T | undefined
}

/** Returns what a file holds, or reports why that cannot be used; never with its text. */
function contentOf<T>(
  file: string,
  { place, expected, parse }: SecretFile<T>,
  written: Written,
  watch: (file: string) => void,
): T | undefined {
  watch(file)
  try {
    if (isOpenToOthers(file))
      written.report(
        place,
        `others on this machine can read or change it; run: chmod o-rwx ${file}`,
      )
    const content = parse(readFileSync(file, 'utf8'))
    if (content === undefined) written.report(place, `expected ${expected} in ${file}`)
    return content
  } catch (error) {
    const { code = 'not JSON' } = error as NodeJS.ErrnoException
    written.report(place, `cannot be read: ${file} (${code})`)
    return undefined
  }
}

const isOpenToOthers = (file: string): boolean =>
  process.platform !== 'win32' && (statSync(file).mode & 0o007) !== 0

/** Returns what a careful reader would ask about: patterns that let in by the end of a path alone, and old lists. */
export function warningsOf({ gates, fetched, agents }: Configuration): readonly string[] {
  const ends = gates
    .flatMap(({ rules }) =>
      rules.flatMap(({ effect, when }) => (effect === 'allow' && when.path) || []),
    )
    .filter((pattern) => /^\/\*./.test(pattern))
    .map((pattern) => `${pattern} lets in every path with this end`)
  const named = new Set(gates.flatMap(({ rules }) => rules.flatMap(({ when }) => when.agent ?? [])))
  const unnamed = agents
    .filter(({ name }) => !named.has(name) && !named.has(ANY_AGENT))
    .map(({ name }) => `${name}: no rule names this agent, so its signature changes nothing`)
  return [...ends, ...unnamed, ...oldGuests(guestsIn(gates), fetched, Date.now())]
}

/** Names the agents whose keys are fetched. */
export const directoriesOf = ({ agents }: Configuration): string[] =>
  agents.flatMap(({ url, keys }) => (keys === undefined ? [url] : []))

/** Names the guests and lists that some gates let in, or that their rules name. */
export const guestsIn = (gates: readonly Gate[]): string[] =>
  gates.flatMap(({ rules }) => rules.flatMap(({ when }) => when.guest ?? []))
