/** Removed settings: refused with the sentence that says what to use instead. */
import { describe, expect, test } from '@jest/globals'
import { ConfigError } from '../../../src/config/config.ts'
import { checkConfig } from '../../../src/config/load.ts'
import { REMOVED_SETTINGS } from '../../../src/config/removed-settings.ts'
import { formatReport } from '../../../src/config/report.ts'

/** Nests a setting as a file has it: `sites[].receipt` under its list, `redis.url` under its group. */
function nest(setting: string): object {
  return setting.split('.').reduceRight<unknown>((value, step) => {
    return step.endsWith('[]') ? { [step.slice(0, -2)]: [value] } : { [step]: value }
  }, true) as object
}

function report(settings: object): string {
  try {
    checkConfig(JSON.stringify({ version: 1, sites: [], ...settings }), 'config.yaml', {})
  } catch (error) {
    if (error instanceof ConfigError) return formatReport(error)
    throw error
  }
  return 'accepted'
}

describe('a removed setting', () => {
  test.each(Object.entries(REMOVED_SETTINGS))('%s is refused: %s', (setting, sentence) => {
    expect(report(nest(setting))).toContain(`  ${sentence}`)
    expect(sentence).toMatch(/^removed: .+[^.]$/)
  })

  test('is named by its place; any other unknown setting stays unknown', () => {
    const text = report({ receipt: true, sites: [{ receipt: true }, { constructor: true }] })
    expect(text).toMatch(/sites\[0\]\.receipt +removed: keep the answer/)
    expect(text).toMatch(/ receipt +is unknown/)
    expect(text).toMatch(/sites\[1\]\.constructor +is unknown/)
  })
})
