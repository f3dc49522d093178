/** The configuration in force: read at the start, and again once one of its files has changed. */
import { statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { Gatekeeper } from './gatekeeper.ts'
import { type Get, KeyDirectories } from './key-directories.ts'
import { createLog } from './log.ts'
import type { Meters } from './meters.ts'
import { directoriesOf, readSettings } from './read-settings.ts'

const LOOK_MS = 1000
/** A listener that is open is not moved. */
const NEED_RESTART = ['listen', 'ops_listen'] as const

export class WatchedSettings {
  readonly #file: string
  readonly #meters: Meters
  readonly #write: (line: string) => unknown
  readonly #directories: KeyDirectories
  /** What was read, or is missing, as it was just before: a change while it was read must not be missed. */
  readonly #stamps = new Map<string, string>()
  readonly #started
  readonly #timer
  #inForce

  /** @param get fetches what agents publish. @throws {SettingsError} */
  constructor(file: string, meters: Meters, write: (line: string) => unknown, get?: Get) {
    this.#file = file
    this.#meters = meters
    this.#write = write
    this.#directories = new KeyDirectories(get)
    this.#inForce = this.#load()
    this.#started = this.#inForce.settings
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  get inForce() {
    return this.#inForce
  }

  /** Takes a changed configuration, whole or not at all. Counts of clearances begin again. */
  reload(): void {
    try {
      this.#inForce = this.#load()
    } catch (error) {
      const detail = String(error)
      this.#inForce.log.error('configuration not reloaded; the old one stays in force', { detail })
      return
    }
    const { settings, log } = this.#inForce
    const kept = NEED_RESTART.filter(
      (name) => !isDeepStrictEqual(settings[name], this.#started[name]),
    )
    if (kept.length === 0) log.info('configuration reloaded')
    else
      log.warn('configuration reloaded, but not all of it', {
        detail: `${kept.join(' and ')}: needs a restart`,
      })
  }

  end(): void {
    clearInterval(this.#timer)
    this.#directories.end()
  }

  #load() {
    const settings = readSettings(this.#file, (path) => this.#stamps.set(path, stampOf(path)))
    const log = createLog(settings.log_level, this.#write)
    void this.#directories.follow(directoriesOf(settings), log)
    return { settings, log, keeper: new Gatekeeper(settings, this.#directories, this.#meters, log) }
  }

  #look(): void {
    const isChanged = [...this.#stamps].some(([path, stamp]) => stamp !== stampOf(path))
    if (isChanged) this.reload()
  }
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return 'missing'
  }
}
