import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DEMO_SECRET, DEMO_SITEKEY } from '../../../src/demo/credentials.ts'
import { loadAssets } from '../../../src/http/assets.ts'
import { site, testService } from '../../support/app.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** A small site of `examples/`, served by its own server, and the real service behind it. */
export interface RunningSite {
  readonly url: string
  /** What the service said of each token it was asked about: `accepted`, or a code. */
  readonly verdicts: () => string[]
  close(): Promise<void>
}

/** Installs and builds what the site has a package for. @throws {Error} with the end of what was said. */
export function prepareSite(name: string): void {
  const folder = join(ROOT, 'examples', name)
  if (!existsSync(join(folder, 'package.json'))) return
  if (!existsSync(join(folder, 'node_modules/.package-lock.json')))
    npm('ci', '--prefix', folder, '--no-audit', '--no-fund')
  npm('run', '--if-present', '--prefix', folder, 'build')
}

function npm(...args: string[]): void {
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr.slice(-500)}`)
}

export async function startSite(name: string): Promise<RunningSite> {
  // A driven browser scores low; that is not the question here.
  const policy = { sitekey: DEMO_SITEKEY as never, hostnames: ['127.0.0.1'], scoreThreshold: 0 }
  const service = await testService({
    siteList: [site(policy, DEMO_SECRET)],
    assets: loadAssets(join(ROOT, 'dist/assets')),
  })
  const child = spawn(process.execPath, [join(ROOT, 'examples/serve.mjs'), name], {
    env: { PATH: process.env['PATH'], HV_URL: service.base, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: line.toString().trim(),
    verdicts: () =>
      service
        .lines()
        .filter((one) => one['message'] === 'siteverify')
        .map((one) => (one['code'] as string | undefined) ?? 'accepted'),
    async close() {
      child.kill()
      await once(child, 'close')
      await service.stop(0)
    },
  }
}
