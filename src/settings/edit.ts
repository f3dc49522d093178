/** Edits of the sites in a configuration, be it a file or a folder: the whole is checked before anything is written. */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { sync as writeFileAtomic } from 'write-file-atomic'
import { Document, isMap, isSeq, parseDocument, type YAMLSeq } from 'yaml'
import { formatMoment, parseMoment } from '../domain/time.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { oneSource, readSources, type SourceFile, type Sources, sitesFolder } from './files.ts'
import { checkSources, type Environment } from './load.ts'
import { ConfigError } from './problem.ts'
import { parseSources } from './yaml-source.ts'

/** A file could not be edited; the message is for the operator. */
export class EditError extends Error {
  override readonly name = 'EditError'
}

/** Which configuration, and what else decides how it reads. */
export interface EditTarget {
  /** As it was named; relative to `cwd`. */
  readonly file: string
  readonly env: Environment
  readonly cwd: string
}

/** A new site, in the words of the file. */
export interface NewSite {
  readonly sitekey: string
  readonly hostnames: readonly string[]
  readonly [setting: string]: unknown
}

const NEW_FILE_MODE = 0o644
/** As in the table: more would not load. */
const MAX_SECRETS = 8
const STYLE = { lineWidth: 0, flowCollectionPadding: false } as const

/**
 * Adds sites: at the end of the file, or in the folder each in a file of its own, named for its first hostname.
 *
 * @returns where each stands, as a problem would name it.
 * @throws {ConfigError | EditError} and leaves everything as it was.
 */
export function writeNewSites(target: EditTarget, sites: readonly NewSite[]): readonly string[] {
  const { file, cwd } = target
  const path = resolve(cwd, file)
  if (!existsSync(path)) makeFolder(file.endsWith('/') ? sitesFolder(path) : dirname(path))
  return editing(target, (sources) => {
    if (sources.folder !== undefined) return writeFiles(target, withMain(sources), sites)
    const current = existsSync(path) ? sources : oneSource(file, cwd, 'version: 1\nsites: []\n')
    save(target, current, current.main, (document) => {
      const list = document.get('sites', true)
      if (!isSeq(list)) document.set('sites', document.createNode(sites))
      else {
        for (const site of sites) list.add(document.createNode(site))
        if (list.flow === true && list.items.length === sites.length) list.flow = false
      }
    })
    return sites.map(() => file)
  })
}

function writeFiles(target: EditTarget, sources: Sources, sites: readonly NewSite[]): readonly string[] {
  const folder = sitesFolder(sources.folder!)
  makeFolder(folder)
  const names = freeNames(sources, sites)
  const files = sites.map((site, index) => ({
    file: join(sources.location, 'sites', names[index]!),
    path: join(folder, names[index]!),
    text: new Document(site).toString(STYLE),
  }))
  checkSources({ ...sources, sites: [...sources.sites, ...files] }, target.env, target.cwd)
  if (!existsSync(sources.main.path)) write(sources.main.path, sources.main.text as string, NEW_FILE_MODE)
  for (const each of files) write(each.path, each.text, NEW_FILE_MODE)
  return files.map((each) => each.file)
}

/**
 * Adds a secret beside a site's others, which end at `until` unless they end earlier.
 *
 * @returns the file it was written to.
 * @throws {ConfigError | EditError} and leaves everything as it was.
 */
export function writeSecret(target: EditTarget, sitekey: string, sha256: string, until: UnixSeconds): string {
  return editing(target, (sources) => {
    const { source, place } = locate(target, sources, sitekey)
    save(target, sources, source, (document) => {
      const secrets = document.getIn([...place, 'secrets']) as YAMLSeq
      if (secrets.items.length >= MAX_SECRETS)
        throw new EditError(`${source.file}: the site has ${MAX_SECRETS} secrets already; delete those that have ended`)
      for (const secret of secrets.items) {
        if (!isMap(secret)) throw new EditError(`${source.file}: the secrets have an alias: make this edit by hand`)
        const end = secret.get('not_after')
        const own = typeof end === 'string' ? parseMoment(end) : undefined
        if (own === undefined || own > until) secret.set('not_after', formatMoment(until))
      }
      secrets.add(document.createNode({ sha256 }))
    })
    return source.file
  })
}

/**
 * Takes a site out: of the file, or the file of the folder.
 *
 * @returns the file it stood in.
 * @throws {ConfigError | EditError} and leaves everything as it was; the last site stays, as nothing loads without one.
 */
export function writeRemoval(target: EditTarget, sitekey: string): string {
  return editing(target, (sources) => {
    const { source, place } = locate(target, sources, sitekey)
    if (place.length > 0) save(target, sources, source, (document) => document.deleteIn(place))
    else {
      checkSources({ ...sources, sites: sources.sites.filter((each) => each !== source) }, target.env, target.cwd)
      rmSync(source.path)
    }
    return source.file
  })
}

/** Makes one edit at a time: what it reads is what it changes. */
function editing<T>({ file, cwd }: EditTarget, edit: (sources: Sources) => T): T {
  const { folder, main } = readSources(file, cwd)
  return locked(folder === undefined ? realPath(main.path) : sitesFolder(folder), () => edit(readSources(file, cwd)))
}

interface Located {
  readonly source: SourceFile
  /** In its file; empty in a file of its own. */
  readonly place: readonly (string | number)[]
}

function locate({ file, env, cwd }: EditTarget, sources: Sources, sitekey: string): Located {
  const { sites } = checkSources(sources, env, cwd)
  const index = sites.findIndex((site) => site.sitekey === sitekey)
  if (index === -1) throw new EditError(`${file}: has no site ${sitekey}; hv site list names them`)
  const own = sites.length - sources.sites.length
  return index < own
    ? { source: sources.main, place: ['sites', index] }
    : { source: sources.sites[index - own]!, place: [] }
}

/** Edits one of the files, once the whole with it would load. Comments and the order stay. */
function save(target: EditTarget, sources: Sources, source: SourceFile, edit: (document: Document) => unknown): void {
  const { file, text } = source
  // What is not YAML has no place to edit; the report says where it breaks.
  if (typeof text !== 'string' || parseSources(oneSource(file, target.cwd, text)).broken.length > 0) {
    checkSources(sources, target.env, target.cwd)
    throw new EditError(`${file}: cannot be edited`)
  }
  const document = parseDocument(text.replaceAll('\r\n', '\n'), { version: '1.2', schema: 'core' })
  edit(document)
  let result: string
  try {
    result = document.toString(STYLE)
  } catch (error) {
    // An alias would be left without its anchor.
    throw new EditError(`${file}: this edit meets an anchor that others use: make it by hand, then hv check`, {
      cause: error,
    })
  }
  if (text.includes('\r\n')) result = result.replaceAll('\n', '\r\n')
  const swap = (each: SourceFile): SourceFile => (each.path === source.path ? { ...each, text: result } : each)
  checkSources({ ...sources, main: swap(sources.main), sites: sources.sites.map(swap) }, target.env, target.cwd)
  write(source.path, result, NEW_FILE_MODE)
}

/** A folder without a main file gets one. */
const withMain = (sources: Sources): Sources =>
  sources.main.text instanceof ConfigError && !existsSync(sources.main.path)
    ? { ...sources, main: { ...sources.main, text: 'version: 1\n' } }
    : sources

/** `shop.example.com.yaml`; where that is taken, with the sitekey. */
function freeNames({ sites }: Sources, added: readonly NewSite[]): readonly string[] {
  const taken = new Set(sites.map(({ path }) => basename(path)))
  return added.map(({ sitekey, hostnames: [first = 'site'] }) => {
    // A file name of letters, digits, dots and dashes on every system; `*.` and brackets of IPv6 are none of it.
    const stem = first
      .replace('*.', 'any.')
      .replaceAll(/[^a-z0-9.-]+/g, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '')
    const name = taken.has(`${stem}.yaml`) ? `${stem}_${sitekey.replace('hv_site_', '')}.yaml` : `${stem}.yaml`
    taken.add(name)
    return name
  })
}

/**
 * Changes a file so that a reader sees the old text or the new one, never half of either. Mode and owner stay; a symbolic
 * link stays one. While one edit runs, a second is refused, and neither change is lost: `change` reads the file itself.
 *
 * @param newMode permission bits, for a file that does not exist yet.
 * @throws {EditError} when another edit is running, or the folder cannot be written to; and what `change` throws.
 */
export const replaceFile = (file: string, newMode: number, change: () => string): void =>
  locked(realPath(file), () => write(file, change(), newMode))

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

function write(file: string, text: string, newMode: number): void {
  const path = realPath(file)
  try {
    writeFileAtomic(path, text, existsSync(path) ? {} : { mode: newMode })
  } catch (error) {
    throw cannotWrite(path, error)
  }
}

function locked<T>(path: string, act: () => T): T {
  const lock = join(dirname(path), `.${basename(path)}.hv-edit`)
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(path, error)
    throw new EditError(`${path}: another edit is running; if none is, it was interrupted: delete ${lock}`, {
      cause: error,
    })
  }
  try {
    return act()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Makes a folder, and those above it. @throws {EditError} */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw cannotWrite(folder, error)
  }
}

const cannotWrite = (path: string, error: unknown): EditError =>
  new EditError(`${path}: cannot be written: the system says ${(error as NodeJS.ErrnoException).code}`, {
    cause: error,
  })
