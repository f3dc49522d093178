import { group } from './command.ts'
import { policyDiff } from './policy-diff.ts'

/** `hv policy …`: hands on to the command named second. */
export const policy = group('policy', 'tries another policy on a log', { diff: policyDiff })
