import { join } from 'node:path'
import type { createService as Create } from '../../src/create-service.ts'
import { closeLater } from './close-later.ts'
import { CONFIG, ORIGIN, SITEKEY } from './process.ts'
import { ROOT } from './root.ts'

/** As the package exports it: built, beside its widget. */
const { createService } = (await import(join(ROOT, 'dist/create-service.js'))) as {
  createService: typeof Create
}
export { createService }

/** Without a score, since the browser proof is not answered here. */
export const LIBRARY_CONFIG = {
  ...CONFIG,
  trusted_proxies: ['127.0.0.1/32'],
  sites: CONFIG.sites.map((site) => ({ ...site, score_threshold: 0 })),
}

/** The service in this process, which ends with the tests of the file. */
export const embedded = async (options: Partial<Parameters<typeof Create>[0]> = {}) => {
  const log = { info() {}, warn() {}, error() {} }
  return closeLater(await createService({ config: LIBRARY_CONFIG, log, ...options }), (it) =>
    it.close(),
  )
}

/** A visitor of a page whose widget asks below `base`. */
export const visitorOf = (base: string) => ({ base, sitekey: SITEKEY, origin: ORIGIN })
