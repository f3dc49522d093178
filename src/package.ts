import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ServiceLog } from './ops/log.ts'
import type { Config } from './settings/load.ts'

// Each path is written out beside `import.meta.url`: so those who trace files (Next.js, Nitro, Vercel) find the folders.
const files = () => ({
  description: fileURLToPath(new URL('../package.json', import.meta.url)),
  assets: fileURLToPath(new URL('assets', import.meta.url)),
  dashboard: fileURLToPath(new URL('dashboard', import.meta.url)),
})

export const demonstrationFile = (): string =>
  fileURLToPath(new URL('../config/demo.yaml', import.meta.url))

const description = () =>
  JSON.parse(readFileSync(files().description, 'utf8')) as { name: string; version: string }

export const version = (): string => description().version

/** What every service of this package serves. */
export function packageParts() {
  const { assets, dashboard } = files()
  return { version: version(), assets, dashboard }
}

const NAME = '@human-verification/server'

/**
 * Checks that the package's files are where its code is, for a program that may be bundled or traced.
 *
 * @throws {Error} with a sentence that names what to include.
 */
export function checkPackage(): void {
  if (!isOurs())
    throw new Error(
      `${NAME} cannot run from a bundle, since it reads files of its own: mark it as external (esbuild: --external:${NAME}; Rollup, Vite and Nitro: external; Next.js: serverExternalPackages) and install it beside the program`,
    )
  const { assets } = files()
  if (!existsSync(assets))
    throw new Error(
      `${assets} is missing: copy the whole package, ${NAME}/dist/**, with the program (Next.js: outputFileTracingIncludes; Vercel: includeFiles; Nitro: externals.traceInclude)`,
    )
}

/** Reports whether the file beside this module is of this package; in a bundle it is of the program, or nowhere. */
function isOurs(): boolean {
  try {
    return description().name === NAME
  } catch {
    return false
  }
}

/** The log of a service, on standard output. */
export async function standardLog(
  { logLevel: level }: Config,
  format: Config['logFormat'],
): Promise<ServiceLog> {
  const { createLog } = await import('./ops/log.ts')
  const { stdout } = process
  return createLog({ level, format, stream: stdout, colours: stdout.isTTY && stdout.hasColors() })
}
