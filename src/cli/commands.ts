import type { CommandRow } from './describe.ts'
import type { Command } from './io.ts'
import { LOADERS } from './loaders.ts'
import { DEMO, DEMO_SITE, SERVE, TEST_SERVER } from './programs.ts'

const commands: Record<string, Command> = {}
// One after the other: jest cannot link two modules at a time that share one.
for (const [name, load] of Object.entries(LOADERS)) commands[name] = await load()

/** The commands that come to an end, all of them loaded: for what they say of themselves. */
export const COMMANDS: Readonly<Record<string, Command>> = { __proto__: null as never, ...commands }

/** Every command there is: what `hv help` and docs/operate/commands.md are made of. */
export const TABLE: readonly CommandRow[] = [SERVE, TEST_SERVER, DEMO, DEMO_SITE, ...Object.values(COMMANDS)]

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
  ].join('\n')
}
