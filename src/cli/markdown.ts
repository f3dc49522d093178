import { helpText, type CommandRow } from './describe.ts'
import { EXIT_MEANS } from './exit-codes.ts'

/** `docs/operate/commands.md`: every command with its help, and the exit codes. `npm run docs` writes it. */
export function commandsPage(table: readonly CommandRow[]): string {
  const shown = table.filter(({ hidden }) => hidden !== true).flatMap((row) => Object.values(row.commands ?? [row]))
  return `${[
    '# Commands',
    '`hv` is short for `human-verification`. This page is generated from the table behind `--help` and completion\n(`npm run docs`).',
    shown.map(({ name, summary }) => `- [\`hv ${name}\`](#hv-${name.replaceAll(' ', '-')}) ${summary}`).join('\n'),
    ...PAGE_TEXT,
    `| Exit code | Meaning |\n|---|---|\n${EXIT_MEANS.map(([code, says]) => `| ${code} | ${says} |`).join('\n')}`,
    ...shown.map((row) => `## hv ${row.name}\n\n\`\`\`text\n${helpText(row)}\n\`\`\``),
  ].join('\n\n')}\n`
}

const PAGE_TEXT = [
  'Answers go to standard output; explanations, problems and progress to standard error, progress only on a terminal.\n`--json` prints data for programs, on one line or more, and nothing else on standard output. Colours appear on terminals only,\nand never with [`NO_COLOR`](https://no-color.org) or `TERM=dumb`. A reader that goes away (`hv site list | head -1`) ends a command\nquietly. `hv COMMAND --help`, `hv help COMMAND` and `hv --version` work everywhere; `--` ends the options.',
  'Completion of commands, options and files: `source <(hv completion bash)`, also for `zsh` and `fish`.',
]
