/** Edits the sites of a configuration (file or folder): the whole result is checked before anything is written. */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { sync as writeFileAtomic } from 'write-file-atomic'
import { Document, isMap, isSeq, parseDocument, type YAMLSeq } from 'yaml'
import { formatMoment, parseMoment } from '../domain/time.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { checkSources, type Environment } from './load.ts'
import { readSources, type SourceFile, type Sources, sitesFolder } from './sources.ts'

/** A file could not be edited; the message is for the operator. */
export class EditError extends Error {
  override readonly name = 'EditError'
}

/** Names a configuration and its environment. */
export interface EditTarget {
  /** The path as given, relative to `cwd`. */
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

const STYLE = { lineWidth: 0, flowCollectionPadding: false } as const

/**
 * Adds sites: at the end of the file; in a folder each in its own file, named for its first hostname.
 *
 * @returns the place of each, as in problems.
 * @throws {ConfigError | EditError} and changes nothing.
 */
export function writeNewSites(target: EditTarget, sites: readonly NewSite[]): readonly string[] {
  const path = resolve(target.cwd, target.file)
  if (target.file.endsWith('/')) makeFolder(path)
  return edit(target, (sources) => {
    const { folder, location, main: found } = sources
    const main = existsSync(found.path)
      ? found
      : { file: found.file, path: found.path, text: 'version: 1\n' }
    if (folder === undefined)
      return [
        { ...sources, main: editFile(main, (document) => addTo(document, sites)) },
        sites.map(() => main.file),
      ]
    const names = freeNames(sources, sites)
    const files = sites.map((site, index) => ({
      file: join(location, 'sites', names[index]!),
      path: join(sitesFolder(folder), names[index]!),
      text: new Document(site).toString(STYLE),
    }))
    return [
      { ...sources, main, sites: [...sources.sites, ...files] },
      files.map(({ file }) => file),
    ]
  })
}

function addTo(document: Document, sites: readonly NewSite[]): void {
  const list = document.get('sites', true)
  if (!isSeq(list)) return document.set('sites', document.createNode(sites))
  for (const site of sites) list.add(document.createNode(site))
  if (list.flow === true && list.items.length === sites.length) list.flow = false
}

/**
 * Adds a secret to a site. Its other secrets end at `until` unless they end earlier.
 *
 * @returns the file that was written.
 * @throws {ConfigError | EditError} and changes nothing.
 */
export const writeSecret = (
  target: EditTarget,
  sitekey: string,
  sha256: string,
  until: UnixSeconds,
): string =>
  editSite(target, sitekey, (source, place) =>
    editFile(source, (document) => {
      const secrets = document.getIn([...place, 'secrets']) as YAMLSeq
      for (const secret of secrets.items) {
        if (!isMap(secret))
          throw new EditError(`${source.file}: the secrets have an alias: make this edit by hand`)
        const end = secret.get('not_after')
        const own = typeof end === 'string' ? parseMoment(end) : undefined
        if (own === undefined || own > until) secret.set('not_after', formatMoment(until))
      }
      secrets.add(document.createNode({ sha256 }))
    }),
  )

/**
 * Removes a site from the file, or its file from the folder.
 *
 * @returns the file that contained it.
 * @throws {ConfigError | EditError} and changes nothing, also for the last site, since a configuration needs one.
 */
export const writeRemoval = (target: EditTarget, sitekey: string): string =>
  editSite(target, sitekey, (source, place) =>
    place.length === 0 ? undefined : editFile(source, (document) => document.deleteIn(place)),
  )

/** @param change gets the path of the site in its file, empty if it has its own; returns undefined to remove the file. */
function editSite(
  target: EditTarget,
  sitekey: string,
  change: (source: SourceFile, place: readonly (string | number)[]) => SourceFile | undefined,
): string {
  return edit(target, (sources) => {
    const { sites } = checkSources(sources, target.env, target.cwd)
    const index = sites.findIndex((site) => site.sitekey === sitekey)
    if (index === -1)
      throw new EditError(`${target.file}: has no site ${sitekey}; hv site list names them`)
    const inMain = sites.length - sources.sites.length
    const source = index < inMain ? sources.main : sources.sites[index - inMain]!
    const after = change(source, index < inMain ? ['sites', index] : [])
    if (index < inMain) return [{ ...sources, main: after! }, source.file]
    const others = sources.sites.flatMap((each) => (each === source ? (after ?? []) : [each]))
    return [{ ...sources, sites: others }, source.file]
  })
}

/** Makes one edit at a time, so that the file cannot change after it was read. Writes only if the whole result loads. */
function edit<T>(
  { file, env, cwd }: EditTarget,
  change: (sources: Sources) => readonly [after: Sources, result: T],
): T {
  const { folder, main } = readSources(file, cwd)
  return locked(folder === undefined ? realPath(main.path) : sitesFolder(folder), () => {
    const before = readSources(file, cwd)
    const [after, result] = change(before)
    checkSources(after, env, cwd)
    const old = new Map([before.main, ...before.sites].map(({ path, text }) => [path, text]))
    for (const { path, text } of [after.main, ...after.sites]) {
      if (old.get(path) !== text) write(path, text, 0o644)
      old.delete(path)
    }
    for (const path of old.keys()) rmSync(path)
    return result
  })
}

/** Returns an edited file. Comments and order are kept. A file that is not YAML is returned unchanged: it will not load. */
function editFile(source: SourceFile, change: (document: Document) => unknown): SourceFile {
  const { file, text } = source
  const document = parseDocument(text.replaceAll('\r\n', '\n'), { version: '1.2', schema: 'core' })
  if (source.unread !== undefined || document.errors.length > 0) return source
  change(document)
  try {
    const result = document.toString(STYLE)
    return { ...source, text: text.includes('\r\n') ? result.replaceAll('\n', '\r\n') : result }
  } catch (error) {
    // An alias would lose its anchor.
    throw new EditError(
      `${file}: this edit meets an anchor that others use: make it by hand, then hv check`,
      {
        cause: error,
      },
    )
  }
}

/** Returns `shop.example.com.yaml`, with the sitekey if that name is taken. */
function freeNames({ sites }: Sources, added: readonly NewSite[]): readonly string[] {
  const taken = new Set(sites.map(({ path }) => basename(path)))
  return added.map(({ sitekey, hostnames: [first = 'site'] }) => {
    // Letters, digits, dots and dashes are valid on every system; `*.` and the brackets of IPv6 are removed.
    const stem = first
      .replace('*.', 'any.')
      .replaceAll(/[^a-z0-9.-]+/g, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '')
    const name = taken.has(`${stem}.yaml`)
      ? `${stem}_${sitekey.replace('hv_site_', '')}.yaml`
      : `${stem}.yaml`
    taken.add(name)
    return name
  })
}

/**
 * Changes a file atomically, and creates its folder. Mode, owner and symbolic links are kept; a new file belongs to the owner of
 * its folder, so that a service can read the keyring that root makes for it. A second edit at the same time is
 * refused, and `change` reads the file itself, so no change is lost.
 *
 * @param newMode permission bits of a new file.
 * @throws {EditError} if another edit is running or the folder is not writable; and anything that `change` throws.
 */
export const replaceFile = (file: string, newMode: number, change: () => string): void =>
  locked(realPath(file), () => write(file, change(), newMode))

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

function write(file: string, text: string, newMode: number): void {
  const path = realPath(file)
  makeFolder(dirname(path))
  attempt(path, () => {
    const isNew = !existsSync(path)
    writeFileAtomic(path, text, isNew ? { mode: newMode, chown: statSync(dirname(path)) } : {})
  })
}

function locked<T>(path: string, act: () => T): T {
  const lock = join(dirname(path), `.${basename(path)}.hv-edit`)
  makeFolder(dirname(path))
  attempt(path, () => {
    try {
      closeSync(openSync(lock, 'wx', 0o600))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const says = `another edit is running; if none is, it was interrupted: delete ${lock}`
      throw new EditError(`${path}: ${says}`, { cause: error })
    }
  })
  try {
    return act()
  } finally {
    rmSync(lock, { force: true })
  }
}

const makeFolder = (folder: string): void =>
  attempt(folder, () => mkdirSync(folder, { recursive: true }))

/** Describes a system error for the operator. */
function attempt(path: string, act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (error instanceof EditError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new EditError(`${path}: cannot be written: the system says ${code}`, { cause: error })
  }
}
