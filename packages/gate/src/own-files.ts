/** The files of this package that stand beside its code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Each path is written out beside `import.meta.url`: so those who trace files (Next.js, Nitro, Vercel) find the folders.
const folders = () => ({
  page: fileURLToPath(new URL('../page', import.meta.url)),
  lists: fileURLToPath(new URL('../lists', import.meta.url)),
})

const NAME = '@human-verification/gate'
const ADVICE = `copy the whole package with the program, and mark it as external where you bundle (esbuild: --external:${NAME}; Rollup, Vite and Nitro: external; Next.js: serverExternalPackages and outputFileTracingIncludes; Vercel: includeFiles)`

/** @throws {Error} with a sentence that names what to include, for a program that was bundled or traced without the file. */
export function readOwnFile(folder: 'page' | 'lists', name: string): string {
  const file = join(folders()[folder], name)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${NAME} reads files of its own, and ${file} is missing: ${ADVICE}`, {
      cause: error,
    })
  }
}
