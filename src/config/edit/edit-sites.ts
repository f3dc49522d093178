/** Edits of the sites in a configuration, be it a file or a folder: the whole is checked before anything is written. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Site } from '../../domain/site.ts'
import type { UnixSeconds } from '../../domain/words.ts'
import { ConfigError, type Environment } from '../config.ts'
import { EMPTY_FILE, EMPTY_MAIN, addSecret, addSites, removeSite, siteText } from './edit-text.ts'
import type { SiteFile } from '../file.ts'
import { checkSources } from '../load.ts'
import { parseText } from '../yaml/parse.ts'
import { EditError, createFiles, deleteFile, locked, makeFolder, replaceFile } from './replace-file.ts'
import { type SourceFile, type Sources, oneSource, readSources, siteFile, sitesFolder } from '../yaml/sources.ts'
import type { Path } from '../../schema/schema.ts'

/** Which configuration, and what else decides how it reads. */
export interface EditTarget {
  /** As it was named; relative to `cwd`. */
  readonly file: string
  readonly env: Environment
  readonly cwd: string
}

const NEW_FILE_MODE = 0o644
/** As in the schema: more would not load. */
const MAX_SECRETS = 8

/**
 * Adds sites: at the end of the file, or in the folder each in a file of its own, named for its first hostname.
 *
 * @returns where each stands, as a problem would name it.
 * @throws {ConfigError | EditError} and leaves everything as it was.
 */
export function writeNewSites(target: EditTarget, sites: readonly SiteFile[]): readonly string[] {
  const { file, env, cwd } = target
  const path = resolve(cwd, file)
  if (file.endsWith('/') && !existsSync(path)) makeFolder(sitesFolder(path))
  const { folder } = readSources(file, cwd)
  if (folder === undefined) {
    // In an empty folder, `config/config.yaml` is the first thing there is.
    if (!existsSync(path)) makeFolder(dirname(path))
    replaceFile(path, NEW_FILE_MODE, () => {
      const sources = existsSync(path) ? readSources(file, cwd) : oneSource(file, cwd, EMPTY_FILE)
      return checked(target, sources, sources.main, (text) => addSites(text, sites))
    })
    return sites.map(() => file)
  }
  makeFolder(sitesFolder(folder))
  return locked(sitesFolder(folder), () => {
    const sources = withMain(readSources(file, cwd))
    const names = freeNames(sources, sites)
    const newFiles = sites.map((site, index) => ({ ...siteFile(sources, names[index]!), text: siteText(site) }))
    checkSources({ ...sources, sites: [...sources.sites, ...newFiles] }, env, cwd)
    createFiles([...(existsSync(sources.main.path) ? [] : [sources.main]), ...newFiles].map(written), NEW_FILE_MODE)
    return newFiles.map((each) => each.file)
  })
}

/**
 * Adds a secret beside a site's others, which end at `until` unless they end earlier.
 *
 * @returns the file it was written to.
 * @throws {ConfigError | EditError} and leaves everything as it was.
 */
export function writeSecret(target: EditTarget, sitekey: string, sha256: string, until: UnixSeconds): string {
  return atSite(target, sitekey, ({ path }) =>
    editSite(target, sitekey, path, (text, { source, place, site }) => {
      if (site.secrets.length < MAX_SECRETS) return addSecret(text, place, sha256, until)
      throw new EditError(`${source.file}: the site has ${MAX_SECRETS} secrets already; delete those that have ended`)
    }),
  )
}

/**
 * Takes a site out: of the file, or the file of the folder.
 *
 * @returns the file it stood in.
 * @throws {ConfigError | EditError} and leaves everything as it was; the last site stays, as nothing loads without one.
 */
export function writeRemoval(target: EditTarget, sitekey: string): string {
  return atSite(target, sitekey, ({ path }, sources) => {
    const rest = sources.sites.filter((each) => each.path !== path)
    if (rest.length === sources.sites.length) {
      editSite(target, sitekey, path, (text, { place }) => removeSite(text, Number(place[1])))
    } else {
      checkSources({ ...sources, sites: rest }, target.env, target.cwd)
      deleteFile(path)
    }
  })
}

interface SiteLocation {
  readonly site: Site
  readonly source: SourceFile
  readonly place: Path
}

function locateSite(sources: Sources, sitekey: string, { file, env, cwd }: EditTarget): SiteLocation {
  const { sites } = checkSources(sources, env, cwd)
  const index = sites.findIndex((site) => site.sitekey === sitekey)
  if (index === -1) throw new EditError(`${file}: has no site ${sitekey}; hv site list names them`)
  const own = sites.length - sources.sites.length
  const site = sites[index]!
  return index < own
    ? { site, source: sources.main, place: ['sites', index] }
    : { site, source: sources.sites[index - own]!, place: [] }
}

/** Finds the site's file, and keeps other edits of the same folder away while it is changed. */
function atSite(target: EditTarget, sitekey: string, change: (source: SourceFile, sources: Sources) => void): string {
  const { file, cwd } = target
  const edit = (): string => {
    const sources = readSources(file, cwd)
    const { source } = locateSite(sources, sitekey, target)
    change(source, sources)
    return source.file
  }
  const { folder } = readSources(file, cwd)
  return folder === undefined ? edit() : locked(sitesFolder(folder), edit)
}

/** Edits the file of a site, as it is now that nobody else may: it is read again behind its own lock. */
function editSite(
  target: EditTarget,
  sitekey: string,
  path: string,
  edit: (text: string, at: SiteLocation) => string,
): void {
  replaceFile(path, NEW_FILE_MODE, () => {
    const sources = readSources(target.file, target.cwd)
    const location = locateSite(sources, sitekey, target)
    if (location.source.path !== path) throw new EditError(`${location.source.file}: the site moved here meanwhile`)
    return checked(target, sources, location.source, (text) => edit(text, location))
  })
}

/** The edited text of one of the files, once the whole with it would load. */
function checked(target: EditTarget, sources: Sources, source: SourceFile, edit: (text: string) => string): string {
  const { env, cwd } = target
  const { text } = pick(sources, source)
  // What is not YAML has no place to edit; the report says where it breaks.
  if (typeof text !== 'string' || parseText(text).broken.length > 0) {
    checkSources(sources, env, cwd)
    throw new EditError(`${source.file}: cannot be edited`)
  }
  const edited = edit(text)
  const swap = (each: SourceFile): SourceFile => (each.path === source.path ? { ...each, text: edited } : each)
  checkSources({ ...sources, main: swap(sources.main), sites: sources.sites.map(swap) }, env, cwd)
  return edited
}

const pick = ({ main, sites }: Sources, { path }: SourceFile): SourceFile =>
  [main, ...sites].find((each) => each.path === path)!

/** A folder without a main file gets one. */
function withMain(sources: Sources): Sources {
  const { main } = sources
  const missing = main.text instanceof ConfigError && !existsSync(main.path)
  return missing ? { ...sources, main: { ...main, text: EMPTY_MAIN } } : sources
}

/** `shop.example.com.yaml`; where that is taken, with a piece of the sitekey. */
function freeNames({ sites: there }: Sources, sites: readonly SiteFile[]): readonly string[] {
  const taken = new Set(there.map(({ path }) => path.slice(dirname(path).length + 1)))
  return sites.map(({ sitekey, hostnames: [first = 'site'] }) => {
    // A file name of letters, digits, dots and dashes on every system; `*.` and brackets of IPv6 are none of it.
    const stem = first
      .replace('*.', 'any.')
      .replaceAll(/[^a-z0-9.-]+/g, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '')
    const short = `${stem}.yaml`
    const name = taken.has(short) ? `${stem}_${sitekey.replace('hv_site_', '')}.yaml` : short
    taken.add(name)
    return name
  })
}

const written = ({ path, text }: SourceFile): { readonly path: string; readonly text: string } => ({
  path,
  text: text as string,
})
