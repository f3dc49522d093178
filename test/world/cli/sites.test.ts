/** `hv site …` by several people at once: the program that is shipped. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { loadConfig } from '../../../src/settings/load.ts'
import { hashSecret } from '../../../src/settings/secrets.ts'

const PROGRAM = join(import.meta.dirname, '../../../dist/main.js')
let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'hv-sites-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** Runs one edit. @throws what the program says, as `stderr`. */
async function edit(...args: string[]): Promise<{ sitekey: string; secret: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'site', ...args, '--json'], { cwd })
  return JSON.parse(stdout) as { sitekey: string; secret: string }
}

test.each(['conf/', 'one.yaml'])(
  'every edit of %s that says it was done was done; the others say why',
  async (config) => {
    const { sitekey } = await edit('add', '--hostname', 'first.example', '--config', config)
    const outcomes = await Promise.allSettled([
      ...[1, 2, 3, 4, 5].map((i) => edit('add', '--hostname', `shop${i}.example`, '--config', config)),
      edit('rotate', sitekey, '--config', config),
    ])
    const done = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const refusals = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as { stderr: string }] : []))
    const hashes = new Set(
      loadConfig(config, {}, cwd).sites.flatMap(({ secrets }) => secrets.map(({ sha256 }) => sha256)),
    )
    for (const { stderr } of refusals) expect(stderr).toContain('another edit is running')
    for (const { secret } of done) expect(hashes).toContain(hashSecret(secret))
    expect(done.length).toBeGreaterThan(0)
    expect(hashes.size).toBe(1 + done.length)
    expect(readdirSync(cwd, { recursive: true }).filter((name) => String(name).includes('hv-edit'))).toEqual([])
  },
)
