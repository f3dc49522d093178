import { group } from './command.ts'
import { passIssue } from './pass-issue.ts'

/** `hv pass …`: hands on to the command named second. */
export const passCommands = group('pass', 'vouches for a visitor', { issue: passIssue })
