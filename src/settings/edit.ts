/** Edits of the sites in a configuration, be it a file or a folder: the whole is checked before anything is written. */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, rmSync } from 'node:fs'
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

const STYLE = { lineWidth: 0, flowCollectionPadding: false } as const

/**
 * Adds sites: at the end of the file, or in the folder each in its own file, named for its first hostname.
 *
 * @returns where each stands, as a problem would name it.
 * @throws {ConfigError | EditError} and leaves everything as it was.
 */
export function writeNewSites(target: EditTarget, sites: readonly NewSite[]): readonly string[] {
  const path = resolve(target.cwd, target.file)
  if (target.file.endsWith('/')) makeFolder(path)
  return edit(target, (sources) => {
    const { folder, location, main: found } = sources
    const main = existsSync(found.path) ? found : { file: found.file, path: found.path, text: 'version: 1\n' }
    if (folder === undefined)
      return [{ ...sources, main: edited(main, (document) => addTo(document, sites)) }, sites.map(() => main.file)]
    const names = freeNames(sources, sites)
    const files = sites.map((site, index) => ({
      file: join(location, 'sites', names[index]!),
      path: join(sitesFolder(folder), names[index]!),
      text: new Document(site).toString(STYLE),
    }))
    return [{ ...sources, main, sites: [...sources.sites, ...files] }, files.map(({ file }) => file)]
  })
}

function addTo(document: Document, sites: readonly NewSite[]): void {
  const list = document.get('sites', true)
  if (!isSeq(list)) return document.set('sites', document.createNode(sites))
  for (const site of sites) list.add(document.createNode(site))
  if (list.flow === true && list.items.length === sites.length) list.flow = false
}

/**
 * Adds a secret beside a site's others, which end at `until` unless they end earlier.
 *
 * @returns the file it was written to.
 * @throws {ConfigError | EditError} and leaves everything as it was.
 */
export const writeSecret = (target: EditTarget, sitekey: string, sha256: string, until: UnixSeconds): string =>
  editSite(target, sitekey, (source, place) =>
    edited(source, (document) => {
      const secrets = document.getIn([...place, 'secrets']) as YAMLSeq
      for (const secret of secrets.items) {
        if (!isMap(secret)) throw new EditError(`${source.file}: the secrets have an alias: make this edit by hand`)
        const end = secret.get('not_after')
        const own = typeof end === 'string' ? parseMoment(end) : undefined
        if (own === undefined || own > until) secret.set('not_after', formatMoment(until))
      }
      secrets.add(document.createNode({ sha256 }))
    }),
  )

/**
 * Takes a site out: of the file, or the file of the folder.
 *
 * @returns the file it stood in.
 * @throws {ConfigError | EditError} and leaves everything as it was; the last site stays, as nothing loads without one.
 */
export const writeRemoval = (target: EditTarget, sitekey: string): string =>
  editSite(target, sitekey, (source, place) =>
    place.length === 0 ? undefined : edited(source, (document) => document.deleteIn(place)),
  )

/** @param change gets the place of the site in its file, empty in its own file; returns undefined to remove the file. */
function editSite(
  target: EditTarget,
  sitekey: string,
  change: (source: SourceFile, place: readonly (string | number)[]) => SourceFile | undefined,
): string {
  return edit(target, (sources) => {
    const { sites } = checkSources(sources, target.env, target.cwd)
    const index = sites.findIndex((site) => site.sitekey === sitekey)
    if (index === -1) throw new EditError(`${target.file}: has no site ${sitekey}; hv site list names them`)
    const inMain = sites.length - sources.sites.length
    const source = index < inMain ? sources.main : sources.sites[index - inMain]!
    const after = change(source, index < inMain ? ['sites', index] : [])
    if (index < inMain) return [{ ...sources, main: after! }, source.file]
    const others = sources.sites.flatMap((each) => (each === source ? (after ?? []) : [each]))
    return [{ ...sources, sites: others }, source.file]
  })
}

/** Makes one edit at a time: what it reads is what it changes. Nothing is written unless the whole would load. */
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

/** Returns a file with an edit. Comments and the order stay. What is not YAML stays as it is: it will not load. */
function edited(source: SourceFile, change: (document: Document) => unknown): SourceFile {
  const { file, text } = source
  const document = parseDocument(text.replaceAll('\r\n', '\n'), { version: '1.2', schema: 'core' })
  if (source.unread !== undefined || document.errors.length > 0) return source
  change(document)
  try {
    const result = document.toString(STYLE)
    return { ...source, text: text.includes('\r\n') ? result.replaceAll('\n', '\r\n') : result }
  } catch (error) {
    // An alias would be left without its anchor.
    throw new EditError(`${file}: this edit meets an anchor that others use: make it by hand, then hv check`, {
      cause: error,
    })
  }
}

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
 * Changes a file so that a reader sees the old text or the new one, never half of either; creates its folder. Mode, owner and
 * a symbolic link stay. While one edit runs, a second is refused; `change` reads the file itself, so no change is lost.
 *
 * @param newMode permission bits, for a file that does not exist yet.
 * @throws {EditError} when another edit is running, or the folder cannot be written to; and what `change` throws.
 */
export const replaceFile = (file: string, newMode: number, change: () => string): void =>
  locked(realPath(file), () => write(file, change(), newMode))

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

function write(file: string, text: string, newMode: number): void {
  const path = realPath(file)
  makeFolder(dirname(path))
  attempt(path, () => writeFileAtomic(path, text, existsSync(path) ? {} : { mode: newMode }))
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

const makeFolder = (folder: string): void => attempt(folder, () => mkdirSync(folder, { recursive: true }))

/** Says what the system answered, for the operator. */
function attempt(path: string, act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (error instanceof EditError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new EditError(`${path}: cannot be written: the system says ${code}`, { cause: error })
  }
}
