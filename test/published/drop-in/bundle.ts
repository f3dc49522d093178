import { spawnSync } from 'node:child_process'
import { FOLDER } from './third-party.ts'

/** A module of this folder, with all that it imports, as one script. @throws {Error} with what the compiler says. */
export function bundle(source: string): string {
  const done = spawnSync(process.execPath, ['bundle.mjs'], {
    input: source,
    cwd: FOLDER,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  if (done.status !== 0) throw new Error(done.stderr)
  return done.stdout
}

/** A script in a page, as an address: in a page's text, `<!--` and `</script` of a program would end it. */
export const inPage = (script: string): string =>
  `<script src="data:text/javascript;base64,${Buffer.from(script).toString('base64')}"></script>`
