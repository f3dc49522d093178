/** Reads the files of a configuration as YAML, with the place of every value and of every syntax error. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import { MOST_FINDINGS } from '../schema/json-schema.ts'
import { type Finding, formatPath, isGroup, type Path, type Problem } from '../schema/problem.ts'

/** The default configuration. */
export const DEFAULT_FILE = 'config/config.yaml'
/** The file of a folder that has everything but the sites, which have one file each in `sites`. */
export const MAIN = 'config.yaml'
const SITES = 'sites'
const MAX_BYTES = 1024 * 1024
/** Aliases in one file. The library finds an anchor by looking through all of them. */
const MOST_ALIASES = 5000

/** A file of the configuration, as read or as edited. */
export interface SourceFile {
  /** The name in problems, as given. */
  readonly file: string
  readonly path: string
  readonly text: string
  /** Why it cannot be read. */
  readonly unread?: string
}

/** All files of a configuration. */
export interface Sources {
  /** The file or folder, as given. */
  readonly location: string
  readonly main: SourceFile
  /** One site each, sorted by file name; empty if the configuration is a single file. */
  readonly sites: readonly SourceFile[]
  /** Absolute path of the folder; undefined for a single file. */
  readonly folder: string | undefined
}

/** Reads a file, or a folder with `config.yaml` and `sites/*.yaml`. An unreadable file is reported later. */
export function readSources(location: string, cwd: string): Sources {
  const isFolder = (path: string): boolean => {
    const at = resolve(cwd, path)
    return existsSync(at) && statSync(at).isDirectory()
  }
  const folder = location === DEFAULT_FILE && isFolder(join('config', SITES)) ? 'config' : location
  if (!isFolder(folder))
    return { location, main: readSource(location, cwd), sites: [], folder: undefined }
  const at = resolve(cwd, folder)
  const source = (path: string): SourceFile => readSource(join(folder, relative(at, path)), cwd)
  const sites = siteFiles(sitesFolder(at)).map(source)
  return { location: folder, main: source(join(at, MAIN)), sites, folder: at }
}

/** Returns the folder with the sites of a configuration folder. */
export const sitesFolder = (folder: string): string => join(folder, SITES)

/**
 * Lists the files of a folder, in the same order on every machine. Hidden files are ignored: they belong to editors and
 * Kubernetes. An unreadable folder is listed as an unreadable file.
 */
export function siteFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name))
    return names.sort().map((name) => join(folder, name))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : [folder]
  }
}

function readSource(file: string, cwd: string): SourceFile {
  const path = resolve(cwd, file)
  try {
    const bytes = readFileSync(path)
    if (bytes.length <= MAX_BYTES)
      return { file, path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
    return { file, path, text: '', unread: `expected at most 1 MiB, got ${bytes.length} bytes` }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    return { file, path, text: '', unread: FILE_ERRORS[code] ?? `cannot be read: ${message}` }
  }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'cannot be read: there is no such file (config/config.example.yaml is one to start from)',
  EACCES: 'cannot be read: this user may not read it',
  EISDIR: 'cannot be read: it is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA:
    'expected UTF-8, got bytes that are not (saved in another encoding?)',
}

type Part = ReturnType<typeof parsePart>

/**
 * Parses all files of a configuration as if they were one, without checking it: each site's file is an item of `sites`, after
 * those of the main file.
 */
export function parseSources({ main, sites, folder }: Sources) {
  const isFolder = folder !== undefined
  const own = parsePart(main, [], isFolder)
  const { sites: inMain } = (own.value ?? {}) as { sites?: unknown }
  const items: unknown[] = Array.isArray(inMain) ? [...(inMain as unknown[])] : []
  const first = items.length
  const others = sites.map((each) => {
    const part = parsePart(each, ['sites', items.length], isFolder)
    // A file that is not YAML has its own problem and is not in the list.
    if (part.value !== undefined) items.push(part.value)
    return part
  })
  const placed = others.filter(({ value }) => value !== undefined)
  const partOf = ([top, index]: Path): Part =>
    top === 'sites' && typeof index === 'number' ? (placed[index - first] ?? own) : own
  return {
    /** Its content as plain values; undefined if none of it could be parsed. */
    value: isFolder ? withSites(own.value, items) : own.value,
    /** Syntax errors, and YAML features that we do not allow. */
    problems: [own, ...others].flatMap(({ problems }) => problems),
    /** Returns a finding as a problem of its file; empty if a syntax error precedes or contains it. */
    problemOf({ path, says, sameAs, atKey }: Finding): readonly Problem[] {
      const part = partOf(path)
      const { key, value, end } = placeOf(part, path)
      const name = (place: Path): string => formatPath(place.slice(partOf(place).prefix.length))
      const other =
        sameAs && `${name(sameAs)}${partOf(sameAs) === part ? '' : ` of ${partOf(sameAs).file}`}`
      const sentence = other === undefined ? says : `is the same as ${other}${says}`
      return part.isSound(end)
        ? [{ ...part.at(atKey ? key : value), where: name(path), says: sentence }]
        : []
    },
  }
}

/** Adds the sites of a folder. They are checked even if the main file cannot be read; a wrong `sites` stays wrong. */
function withSites(value: unknown, sites: readonly unknown[]): unknown {
  const group = value ?? {}
  if (!isGroup(group)) return value
  const own = group['sites'] ?? []
  return Array.isArray(own) ? { ...group, sites } : group
}

/** `uniqueKeys` would compare each name of a group with all others; `ownSlips` finds repeated ones instead. */
const YAML = {
  version: '1.2',
  schema: 'core',
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const

/**
 * Parses one file as YAML 1.2 with the core schema: dates and `yes` stay text, nothing is merged.
 *
 * @param prefix path of its value in the whole: `['sites', 3]`; empty for the main file.
 */
function parsePart({ file, text, unread }: SourceFile, prefix: Path, isOneOfMany: boolean) {
  const ofFile = isOneOfMany ? { file } : {}
  const lines = new LineCounter()
  const at = (offset: number): Pick<Problem, 'file' | 'line' | 'column'> => {
    const { line, col } = lines.linePos(offset)
    return { ...ofFile, line, column: col }
  }
  const document = parseDocument(text, { ...YAML, lineCounter: lines })
  const own = ownSlips(document)
  const said = [...document.errors, ...document.warnings].slice(0, MOST_FINDINGS)
  const slips = [
    ...said.map(({ code, pos: [from] }) => slipOf(document, code, from)),
    ...own.slice(0, MOST_FINDINGS),
  ]
  // What follows the first of these may be misread.
  const broken = Math.min(
    ...slips.filter(({ code }) => !HARMLESS.has(code)).map(({ from }) => from),
  )
  const told = slips.filter(({ from }) => from <= broken)
  const syntax = told.map(({ code, from }) => ({
    ...at(from),
    where: 'YAML',
    says: SYNTAX[code] ?? 'is not YAML',
  }))
  return {
    file,
    prefix,
    at,
    contents: document.contents,
    /** Plain values. Aliases share one value, so that they cannot multiply it ("billion laughs"). */
    value: unread === undefined ? (document.toJS({ maxAliasCount: -1 }) as unknown) : undefined,
    problems: unread === undefined ? syntax : [{ ...ofFile, where: 'file', says: unread }],
    /** Reports whether a value that ends here is before the first syntax error. */
    isSound: (end: number): boolean =>
      unread === undefined && (broken === Infinity || text.slice(end, broken).trim() !== ''),
  }
}

interface Slip {
  readonly code: ErrorCode | 'OPEN_QUOTE' | 'MANY_ALIASES'
  readonly from: number
}

/** Reports an unclosed quote at its start rather than at the end of the file. */
function slipOf(document: Document, code: ErrorCode, from: number): Slip {
  let start: number | undefined
  if (code === 'MISSING_CHAR')
    visit(document, {
      Scalar(_key, { type, range }) {
        if (type?.startsWith('QUOTE_') && range?.[1] === from) start = range[0]
      },
    })
  return start === undefined ? { code, from } : { code: 'OPEN_QUOTE', from: start }
}

/** Finds repeated names, and aliases without an anchor, which it turns into texts: most are a `*.example.com` without quotes. */
function ownSlips(document: Document): readonly Slip[] {
  const anchors = new Set<string>()
  const slips: Slip[] = []
  let aliases = 0
  visit(document, {
    Node(_key, node) {
      // The library already reports an anchor or alias without a name.
      if (!isAlias(node)) {
        if (node.anchor) anchors.add(node.anchor)
        if (isMap(node)) slips.push(...repeatedNames(node))
        return undefined
      }
      const isKnown = anchors.has(node.source)
      if (isKnown) aliases++
      if (isKnown && aliases <= MOST_ALIASES) return undefined
      if (node.source !== '')
        slips.push({ code: isKnown ? 'MANY_ALIASES' : 'BAD_ALIAS', from: node.range![0] })
      return Object.assign(new Scalar(`*${node.source}`), { range: node.range! })
    },
  })
  return slips
}

function repeatedNames({ items }: YAMLMap): readonly Slip[] {
  const names = new Set<unknown>()
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return []
    const isRepeated = names.has(key.value)
    names.add(key.value)
    return isRepeated ? [{ code: 'DUPLICATE_KEY' as const, from: key.range![0] }] : []
  })
}

/** Errors after which the rest of the file can still be trusted. */
const HARMLESS: ReadonlySet<string> = new Set([
  'BAD_ALIAS',
  'DUPLICATE_KEY',
  'NON_STRING_KEY',
  'TAG_RESOLVE_FAILED',
])

/** Replaces the library's messages, which quote the file: it may contain a secret in the wrong place. */
const SYNTAX: Readonly<Partial<Record<Slip['code'], string>>> = {
  BAD_INDENT: 'is indented differently from its neighbours, or a bracket before it is not closed',
  TAB_AS_INDENT: 'is indented with a tab (YAML takes spaces)',
  OPEN_QUOTE: 'opens a quote that is never closed',
  MISSING_CHAR: 'expected a closing quote or bracket, a colon or a comma before this',
  BAD_DQ_ESCAPE:
    'is a backslash escape that YAML does not know (single quotes take backslashes as they are)',
  BAD_SCALAR_START: 'starts with a character that needs quotes around the text',
  BLOCK_AS_IMPLICIT_KEY: 'is a name: value inside a value (text with a colon needs quotes)',
  MULTILINE_IMPLICIT_KEY: 'is a name over several lines, or a line without its colon',
  MULTIPLE_DOCS: 'starts a second document (---); one file is one configuration',
  BAD_ALIAS:
    'is an alias (*name) of no anchor above it, or a text with a star, which needs quotes: "*.example.com"',
  MANY_ALIASES: `is one alias too many: a file may have ${MOST_ALIASES}`,
  UNEXPECTED_TOKEN: 'does not belong here (text with : [ ] { } , # & * needs quotes)',
  NON_STRING_KEY: 'is a name that is not text (a colon too many, or an alias?)',
  DUPLICATE_KEY: 'repeats a name of its group',
  TAG_RESOLVE_FAILED: 'has a YAML tag (!name): remove it, or quote the value',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
}

/** Returns the positions of a value, its name and its end, in characters; if it is missing, those of the group around it. */
function placeOf(
  { contents, prefix }: Part,
  path: Path,
): { key: number; value: number; end: number } {
  let node: unknown = contents
  let place = { key: 0, ...rangeOf(node, 0) }
  for (const step of path.slice(prefix.length)) {
    const pair = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && key.value === step)
      : undefined
    const inner = isSeq(node) ? node.items[step as number] : pair?.value
    if (inner === undefined) return { ...place, key: place.value }
    const key = rangeOf(pair?.key, place.value).value
    place = { key, ...rangeOf(inner, key) }
    node = inner
  }
  return place
}

function rangeOf(node: unknown, otherwise: number) {
  const [value, end] = (node as Node | null | undefined)?.range ?? [otherwise, otherwise]
  return { value, end }
}
