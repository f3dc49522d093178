import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../config.ts'
import { readText } from './parse.ts'

/** The configuration to use when nobody names one. docs/design/contract.md, "Configuration". */
export const DEFAULT_FILE = 'config/config.yaml'

/** In a folder: everything but the sites, and below `sites` one file for each of them. */
const MAIN = 'config.yaml'
const SITES = 'sites'

/** A file of the configuration, as it was read or as it is to be. */
export interface SourceFile {
  /** As problems name it: as it was named to us. */
  readonly file: string
  readonly path: string
  /** What it says, or why it cannot be read. */
  readonly text: string | ConfigError
}

/** All that a configuration is made of. */
export interface Sources {
  /** What was asked for: a file or a folder, as it was named. */
  readonly location: string
  readonly main: SourceFile
  /** One site each, by file name; none where the configuration is one file. */
  readonly sites: readonly SourceFile[]
  /** Absolute path of the folder; undefined: one file. */
  readonly folder: string | undefined
}

/** A configuration of one file. */
export function oneSource(file: string, cwd: string, text: string | ConfigError): Sources {
  return { location: file, main: { file, path: resolve(cwd, file), text }, sites: [], folder: undefined }
}

/** Reads a file, or a folder with `config.yaml` and `sites/*.yaml`. What cannot be read is a problem of its own later. */
export function readSources(location: string, cwd: string): Sources {
  const folder = folderOf(location, cwd)
  if (folder === undefined) return oneSource(location, cwd, textOf(resolve(cwd, location)))
  const main = join(folder, MAIN)
  return {
    location: folder,
    main: sourceFile(main, cwd),
    sites: namesIn(resolve(cwd, folder, SITES)).map((name) => sourceFile(join(folder, SITES, name), cwd)),
    folder: resolve(cwd, folder),
  }
}

const sourceFile = (file: string, cwd: string): SourceFile => {
  const path = resolve(cwd, file)
  return { file, path, text: textOf(path) }
}

/** The folder of sites of a configuration that is a folder. */
export const sitesFolder = (folder: string): string => join(folder, SITES)

/** Where a site of a folder stands, by the name of its file. */
export const siteFile = ({ location, folder }: Sources, name: string): Omit<SourceFile, 'text'> => ({
  file: join(location, SITES, name),
  path: join(folder!, SITES, name),
})

/** @returns undefined for a file. The default is a folder once there is a `config/sites` in it. */
function folderOf(location: string, cwd: string): string | undefined {
  const isFolder = (path: string): boolean => {
    try {
      return statSync(resolve(cwd, path)).isDirectory()
    } catch {
      // Reading it as a file says why not.
      return false
    }
  }
  if (isFolder(location)) return location
  return location === DEFAULT_FILE && isFolder(join('config', SITES)) ? 'config' : undefined
}

/** In one order on every machine. Hidden ones are not ours: editors and Kubernetes keep theirs there. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    // As a file that cannot be read, so that it is said with its name.
    return ['']
  }
}

function textOf(path: string): string | ConfigError {
  try {
    return readText(path)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}
