import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeLater, newFolder } from '../close-later.ts'
import { needProgram } from '../programs.mjs'
import { startRedis } from '../redis.ts'

const SOURCE = join(import.meta.dirname, 'clock.c')
const LIBRARY = join(import.meta.dirname, '../../../build/lying-clock.so')

/** A real Redis whose wall clock a test may set wrong, while its monotonic clock stays right. */
export type LyingRedis = Awaited<ReturnType<typeof startLyingRedis>>

export async function startLyingRedis(args: readonly string[] = []) {
  build()
  const offsets = join(newFolder(), 'offset')
  const file = closeLater(openSync(offsets, 'w+'), closeSync)
  const shift = (ms: number): void => {
    const offset = Buffer.alloc(8)
    offset.writeBigInt64LE(BigInt(Math.round(ms * 1000)))
    writeSync(file, offset, 0, 8, 0)
  }
  shift(0)
  const env = [`LD_PRELOAD=${LIBRARY}`, `HV_CLOCK=${offsets}`]
  const redis = await startRedis({ exec: ['/usr/bin/env', ...env], args })
  return {
    ...redis,
    /** Milliseconds that its clock is ahead; negative: behind. */
    shift,
    /** Sets the clock wrong for so long, then right again. Both in milliseconds. */
    async blink(ahead: number, forMs: number) {
      shift(ahead)
      await sleep(forMs)
      shift(0)
    },
  }
}

/** Compiles the shim once for each change of its source. */
function build(): void {
  if (existsSync(LIBRARY) && statSync(LIBRARY).mtimeMs > statSync(SOURCE).mtimeMs) return
  mkdirSync(join(LIBRARY, '..'), { recursive: true })
  const made = `${LIBRARY}.${process.pid}`
  execFileSync(needProgram('cc'), [
    '-shared',
    '-fPIC',
    '-O1',
    '-Wall',
    '-Werror',
    '-o',
    made,
    SOURCE,
    '-ldl',
  ])
  renameSync(made, LIBRARY)
}
