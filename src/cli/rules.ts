import { group } from './command.ts'
import { rulesTest } from './rules-test.ts'

/** `hv rules …`: hands on to the command named second. */
export const rules = group('rules', 'tries the rules of a site', { test: rulesTest })
