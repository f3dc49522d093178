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
 * So `change` reads the file itself, after the lock is taken.
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
    fs.writeFileSync(descriptor, change())
    keepAccess(descriptor, target, newMode)
    fs.fsyncSync(descriptor)
    fs.renameSync(temporary, target)
  } catch (error) {
    fs.rmSync(temporary, { force: true })
    throw error
  } finally {
    fs.closeSync(descriptor)
  }
  syncFolder(dirname(target))
}

function lock(temporary: string, file: string): number {
  try {
    // Nobody else may read it while it is being written: it can hold signing keys.
    return fs.openSync(temporary, 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const says =
      code === 'EEXIST'
        ? `another edit is running; if none is, it was cut off: delete ${temporary}`
        : `cannot be written: the system says ${code}`
    throw new EditError(`${file}: ${says}`, { cause: error })
  }
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
