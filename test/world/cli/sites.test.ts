/** `hv site …` by several people at once: the program that is shipped. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { loadConfig } from '../../../src/settings/load.ts'
import { hashSecret } from '../../../src/settings/secrets.ts'
import { newFolder } from '../../support/close-later.ts'
import { hvProcess } from '../../support/hv.ts'

const cwd = newFolder()

/** Runs one edit. @throws with the program's message. */
async function edit(
  config: string,
  ...args: string[]
): Promise<{ sitekey: string; secret: string }> {
  const { code, out, err } = await hvProcess([
    'site',
    ...args,
    '--config',
    join(cwd, config),
    '--json',
  ])
  if (code !== 0) throw new Error(err)
  return JSON.parse(out) as { sitekey: string; secret: string }
}

test.each(['conf/', 'one.yaml'])(
  'every edit of %s that says it was done was done; the others say why',
  async (config) => {
    const { sitekey } = await edit(config, 'add', '--hostname', 'first.example')
    const outcomes = await Promise.allSettled([
      ...[1, 2, 3, 4, 5].map((i) => edit(config, 'add', '--hostname', `shop${i}.example`)),
      edit(config, 'rotate', sitekey),
    ])
    const done = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const refusals = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [each.reason as Error] : [],
    )
    const hashes = new Set(
      loadConfig(config, {}, cwd).sites.flatMap(({ secrets }) =>
        secrets.map(({ sha256 }) => sha256),
      ),
    )
    for (const { message } of refusals) expect(message).toContain('another edit is running')
    for (const { secret } of done) expect(hashes).toContain(hashSecret(secret))
    expect(done.length).toBeGreaterThan(0)
    expect(hashes.size).toBe(1 + done.length)
    expect(
      readdirSync(cwd, { recursive: true }).filter((name) => String(name).includes('hv-edit')),
    ).toEqual([])
  },
)
