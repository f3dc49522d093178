import { agents } from './agents.ts'
import { check } from './check.ts'
import { completion } from './completion.ts'
import type { CommandRow } from './describe.ts'
import { group } from './command.ts'
import { doctor } from './doctor.ts'
import { explainCommand } from './explain.ts'
import type { Command } from './io.ts'
import { keygen } from './keygen.ts'
import { openapi } from './openapi.ts'
import { passIssue } from './pass-issue.ts'
import { DEMO, DEMO_SITE, MEASURE, SERVE, TEST_SERVER, TRY } from './programs.ts'
import { policyDiff } from './policy-diff.ts'
import { rulesTest } from './rules-test.ts'
import { site } from './site.ts'
import { token } from './token.ts'

/** The commands that come to an end; hv.ts adds those that run until a signal. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  // `hv constructor` is no command.
  __proto__: null as never,
  check,
  doctor,
  site,
  keygen,
  token,
  explain: explainCommand,
  pass: group('pass', 'vouches for a visitor', { issue: passIssue }),
  policy: group('policy', 'tries another policy on a log', { diff: policyDiff }),
  agents,
  rules: group('rules', 'tries the rules of a site', { test: rulesTest }),
  openapi,
  completion: completion(() => TABLE),
}

/** Every command there is: what `hv help`, docs/operate/commands.md and completion are made of. */
export const TABLE: readonly CommandRow[] = [
  SERVE,
  TEST_SERVER,
  DEMO,
  TRY,
  MEASURE,
  DEMO_SITE,
  ...Object.values(COMMANDS),
]

/** What `hv help` prints. */
export function help(): string {
  const rows = TABLE.filter(({ hidden }) => hidden !== true).flatMap((row) => Object.values(row.commands ?? [row]))
  const wide = Math.max(...rows.map(({ name }) => name.length))
  return [
    'human-verification (hv): a human-verification service that you run yourself',
    '',
    ...rows.map(({ name, summary }) => `  hv ${name.padEnd(wide)}  ${summary}`),
    '',
    'Settings: --config FILE, else HV_CONFIG, else config/config.yaml. More with: hv COMMAND --help',
    'Completion for your shell: hv completion --help',
  ].join('\n')
}
