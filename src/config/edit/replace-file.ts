import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A file could not be edited; the message is for the operator. */
export class EditError extends Error {
  override readonly name = 'EditError'
}

/**
 * Changes a file so that a reader sees the old text or the new one, never half of either: the new text is written
 * beside it, forced to disk, and renamed over it. Mode and owner stay; a symbolic link stays one.
 *
 * The file beside it is also the lock: while one edit runs, a second is refused, and neither change is lost.
 * So `change` reads the file itself, after the lock is taken. An editor that knows nothing of the lock is noticed:
 * when the file is another one after `change` than before, it stays as it is.
 *
 * @param newMode permission bits, for a file that does not exist yet.
 * @param change what the file is to say. What it throws leaves the file alone.
 * @throws {EditError} when another edit is running, or the folder cannot be written to.
 */
export function replaceFile(file: string, newMode: number, change: () => string): void {
  const target = fs.existsSync(file) ? fs.realpathSync(file) : file
  const temporary = join(dirname(target), `.${basename(target)}.hv-edit`)
  const descriptor = lock(temporary, file)
  try {
    const before = markOf(target)
    writeAll(descriptor, change(), file)
    keepAccess(descriptor, target, newMode)
    fs.fsyncSync(descriptor)
    if (markOf(target) !== before) {
      throw new EditError(`${file}: somebody else changed it meanwhile; nothing was written, try again`)
    }
    fs.renameSync(temporary, target)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  } finally {
    fs.closeSync(descriptor)
  }
  syncFolder(dirname(target))
}

/**
 * Writes new files, all of them or none: each is forced to disk under another name first, and then put in its place.
 *
 * @throws {EditError} when one of them is there already, or cannot be written.
 */
export function createFiles(files: readonly { readonly path: string; readonly text: string }[], mode: number): void {
  const begun: { readonly path: string; readonly temporary: string }[] = []
  const placed: string[] = []
  try {
    for (const { path, text } of files) {
      const temporary = join(dirname(path), `.${basename(path)}.hv-edit`)
      const descriptor = lock(temporary, path)
      begun.push({ path, temporary })
      try {
        writeAll(descriptor, text, path)
        fs.fchmodSync(descriptor, mode)
        fs.fsyncSync(descriptor)
      } finally {
        fs.closeSync(descriptor)
      }
    }
    for (const { path, temporary } of begun) {
      if (fs.existsSync(path)) throw new EditError(`${path}: is there already; nothing was written, try again`)
      fs.renameSync(temporary, path)
      placed.push(path)
    }
  } catch (error) {
    for (const path of placed) fs.rmSync(path, { force: true })
    for (const { temporary } of begun) fs.rmSync(temporary, { force: true })
    throw error
  }
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) syncFolder(folder)
}

/** Deletes a file, so that it is gone after a power failure too. @throws {EditError} */
export function deleteFile(path: string): void {
  try {
    fs.unlinkSync(path)
  } catch (error) {
    throw cannotWrite(path, error)
  }
  syncFolder(dirname(path))
}

/**
 * Holds the lock of a folder while several of its files are looked at and changed.
 *
 * @throws {EditError} when another edit is running, or the folder cannot be written to; and what `change` throws.
 */
export function locked<T>(folder: string, change: () => T): T {
  const path = join(folder, '.hv-edit')
  const descriptor = lock(path, folder)
  try {
    return change()
  } finally {
    fs.closeSync(descriptor)
    fs.rmSync(path, { force: true })
  }
}

function lock(temporary: string, file: string): number {
  try {
    // Nobody else may read it while it is being written: it can hold signing keys.
    return fs.openSync(temporary, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(file, error)
    const says = `another edit is running; if none is, it was cut off: delete ${temporary}`
    throw new EditError(`${file}: ${says}`, { cause: error })
  }
}

/** Makes a folder, and those above it; one that is there already is fine. @throws {EditError} */
export function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw cannotWrite(folder, error)
  }
}

/** A disk that is full says so here, before anything is replaced. */
function writeAll(descriptor: number, text: string, file: string): void {
  try {
    fs.writeFileSync(descriptor, text)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

const cannotWrite = (file: string, error: unknown): EditError =>
  new EditError(`${file}: cannot be written: the system says ${(error as NodeJS.ErrnoException).code}`, {
    cause: error,
  })

/** Another one whenever the file is another one, or says something else. */
function markOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : ''
}

function keepAccess(descriptor: number, target: string, newMode: number): void {
  const old = fs.statSync(target, { throwIfNoEntry: false })
  fs.fchmodSync(descriptor, old ? old.mode & 0o7777 : newMode)
  if (!old) return
  const own = fs.fstatSync(descriptor)
  if (own.uid === old.uid && own.gid === old.gid) return
  try {
    fs.fchownSync(descriptor, old.uid, old.gid)
  } catch (error) {
    // Quietly giving the file to somebody else could lock the service out of it.
    throw new EditError(`${target}: its owner cannot be kept; edit it as its owner`, { cause: error })
  }
}

/** The rename itself must survive a power failure; where folders cannot be opened (Windows), it is left to the system. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
