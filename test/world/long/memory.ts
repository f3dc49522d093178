import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ServiceProcess, sleep } from '../../support/process.ts'

/** In bytes. */
export interface Memory {
  readonly rss: number
  /** Resident, and no part of V8's heap, whose young generation grows to 32 MB under load and shrinks again when V8 likes. */
  readonly outside: number
  /** Heap and what lies outside of it. */
  readonly used: number
}

export interface MemoryProbe {
  /** What the service has to be started with. */
  readonly env: Readonly<Record<string, string>>
  /** What the service holds once its garbage is collected. @throws {Error} after 10 s. */
  read(service: ServiceProcess): Promise<Memory>
  remove(): void
}

export function memoryProbe(): MemoryProbe {
  const folder = mkdtempSync(join(tmpdir(), 'hv-long-'))
  const file = join(folder, 'memory')
  const probe = pathToFileURL(join(import.meta.dirname, 'memory-probe.js')).href
  return {
    env: { NODE_OPTIONS: `--import=${probe}`, HV_TEST_MEMORY: file },
    async read(service) {
      rmSync(file, { force: true })
      service.signal('SIGUSR2')
      for (const end = Date.now() + 10_000; Date.now() < end; await sleep(20)) {
        if (existsSync(file) && readFileSync(file, 'utf8').endsWith('}')) {
          return JSON.parse(readFileSync(file, 'utf8')) as Memory
        }
      }
      throw new Error('the probe gave no answer')
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
