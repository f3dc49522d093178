import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { ConfigError } from './problem.ts'

/** The configuration to use when nobody names one. */
export const DEFAULT_FILE = 'config/config.yaml'
/** In a folder: everything but the sites, and below `sites` one file for each of them. */
export const MAIN = 'config.yaml'
const SITES = 'sites'
const MAX_BYTES = 1024 * 1024

/** A file of the configuration, as it was read or as it is to be. */
export interface SourceFile {
  /** As problems name it: as it was named to us. */
  readonly file: string
  readonly path: string
  /** What it says, or why it cannot be read. */
  readonly text: string | ConfigError
}

/** Everything that a configuration is made of. */
export interface Sources {
  /** What was asked for: a file or a folder, as it was named. */
  readonly location: string
  readonly main: SourceFile
  /** One site each, by file name; none where the configuration is one file. */
  readonly sites: readonly SourceFile[]
  /** Absolute path of the folder; undefined: one file. */
  readonly folder: string | undefined
}

/** Returns a configuration of one file. */
export const oneSource = (file: string, cwd: string, text: string | ConfigError): Sources => ({
  location: file,
  main: { file, path: resolve(cwd, file), text },
  sites: [],
  folder: undefined,
})

/** Reads a file, or a folder with `config.yaml` and `sites/*.yaml`. A file that cannot be read is a problem of its own later. */
export function readSources(location: string, cwd: string): Sources {
  const isFolder = (path: string): boolean => {
    try {
      return statSync(resolve(cwd, path)).isDirectory()
    } catch {
      // Reading it as a file says why not.
      return false
    }
  }
  const folder = location === DEFAULT_FILE && isFolder(join('config', SITES)) ? 'config' : location
  if (!isFolder(folder)) return oneSource(location, cwd, readText(resolve(cwd, location)))
  const at = resolve(cwd, folder)
  const source = (path: string): SourceFile => ({ file: join(folder, relative(at, path)), path, text: readText(path) })
  return {
    location: folder,
    main: source(join(at, MAIN)),
    sites: siteFiles(sitesFolder(at)).map(source),
    folder: at,
  }
}

/** Returns the folder of the sites of a configuration that is a folder. */
export const sitesFolder = (folder: string): string => join(folder, SITES)

/**
 * Lists the files of a folder, in one order on every machine. Hidden files are not ours: editors and Kubernetes keep theirs
 * there. A folder that cannot be read is listed itself, as a file that cannot be read.
 */
export function siteFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name))
    return names.sort().map((name) => join(folder, name))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : [folder]
  }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'cannot be read: there is no such file (config/config.example.yaml is one to start from)',
  EACCES: 'cannot be read: this user may not read it',
  EISDIR: 'cannot be read: it is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'expected UTF-8, got bytes that are not (saved in another encoding?)',
}

function readText(file: string): string | ConfigError {
  const refused = (says: string): ConfigError => new ConfigError(file, [{ where: 'file', says }])
  const tooLarge = (bytes: number): ConfigError => refused(`expected at most 1 MiB, got ${bytes} bytes`)
  try {
    const { size } = statSync(file)
    if (size > MAX_BYTES) return tooLarge(size)
    const bytes = readFileSync(file)
    // Looked at again: a pipe has no size, and a file can grow in between.
    return bytes.length > MAX_BYTES ? tooLarge(bytes.length) : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return refused(FILE_ERRORS[code] ?? `cannot be read: the system says ${code}`)
  }
}
