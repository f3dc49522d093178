/** A configuration that loads, and the report of one that must not. */
import { createHash } from 'node:crypto'
import { ConfigError, formatReport } from '../../../src/schema/problem.ts'
import { checkConfig, type Config, type Environment } from '../../../src/settings/load.ts'

export const HASH = createHash('sha256').update('fixture-one').digest('hex')
const SITES = `sites: [{sitekey: hv_site_fixture1, secrets: [{sha256: ${HASH}}], hostnames: [example.com]}]\n`
export const minimal = `version: 1\n${SITES}`

/** The report of a configuration that must not load. */
export function refusal(load: () => unknown): string {
  try {
    load()
  } catch (error) {
    if (error instanceof ConfigError) return formatReport(error)
    throw error
  }
  return 'loaded'
}
/** Its lines, columns closed up. */
export const linesOf = (load: () => unknown): string[] =>
  refusal(load).replaceAll(/ +/g, ' ').split('\n')
export const check = (text: string, env: Environment = {}): Config =>
  checkConfig(text, 'test.yaml', env, '/work')
