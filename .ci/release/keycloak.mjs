/** The provider for Keycloak: one jar, which Maven builds of the listed files alone. */
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { output, ROOT, run } from './run.mjs'

const FOLDER = 'packages/keycloak'

export function makeProvider({ out, stage, epoch, version }) {
  for (const old of readdirSync(out).filter((file) => file.endsWith('.jar'))) rmSync(join(out, old))
  const copy = join(stage, 'provider')
  for (const path of ['LICENSE', ...output('git', ['ls-files', FOLDER]).split('\n')]) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(ROOT, path), join(copy, path))
  }
  const date = `-Dproject.build.outputTimestamp=${epoch}`
  run('mvn', ['--quiet', '--batch-mode', '--strict-checksums', date, 'package'], {
    cwd: join(copy, FOLDER),
  })
  cpSync(
    join(copy, FOLDER, 'target/human-verification-keycloak.jar'),
    join(out, `human-verification-keycloak-${version}.jar`),
  )
}
