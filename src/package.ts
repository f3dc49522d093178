import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ServiceLog } from './ops/log.ts'
import type { Config } from './settings/load.ts'

/** Beside this module: `dist/` of the package. */
const inDist = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export const DEMO_CONFIG = inDist('../config/demo.yaml')

export function version(): string {
  return (JSON.parse(readFileSync(inDist('../package.json'), 'utf8')) as { version: string })
    .version
}

/** What every service of this package serves. */
export const packageParts = () => ({
  version: version(),
  assets: inDist('assets'),
  dashboard: inDist('dashboard'),
})

/** The log of a service, on standard output. */
export async function standardLog(
  { logLevel: level }: Config,
  format: Config['logFormat'],
): Promise<ServiceLog> {
  const { createLog } = await import('./ops/log.ts')
  const { stdout } = process
  return createLog({ level, format, stream: stdout, colours: stdout.isTTY && stdout.hasColors() })
}
