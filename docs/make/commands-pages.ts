import { helpText, type CommandRow } from '../../src/cli/describe.ts'
import { EXIT_MEANS } from '../../src/cli/exit-codes.ts'

/** Commands by page; those that no page names are on the last. */
const PAGES = [
  {
    file: 'commands-run.md',
    title: 'Commands that run',
    says: 'Programs that run until a signal: the service itself, and what helps you to try it. The start of a service:\n\n```sh\nhv serve --config config/config.yaml\n```',
    names: ['serve', 'test-server', 'demo'],
  },
  {
    file: 'commands-configure.md',
    title: 'Commands that configure',
    says: 'Commands that check, examine or change a configuration, its sites and keys. The first after every change:\n\n```sh\nhv check --config config/config.yaml\n```',
    names: ['check', 'doctor', 'site', 'keygen', 'agents fetch'],
  },
  {
    file: 'commands-examine.md',
    title: 'Commands that examine',
    says: 'Commands that explain a score, a rule or an agent, and those that print something. The contributions to a score:\n\n```sh\nhv explain AAAAAAAAAAAAAAAAAAAAAA --log service.log\n```',
    names: undefined,
  },
] as const

/**
 * `docs/operate/commands.md` with the list and the exit codes, and a page for each group of commands with their help.
 * `npm run docs` writes them.
 */
export function commandPages(table: readonly CommandRow[]): Readonly<Record<string, string>> {
  const shown = table.filter(({ hidden }) => hidden !== true).flatMap((row) => Object.values(row.commands ?? [row]))
  const fileOf = (name: string): string =>
    (PAGES.find(({ names }) => names?.some((each) => `${name} `.startsWith(`${each} `))) ?? PAGES.at(-1)!).file
  const lists = PAGES.flatMap(({ file, title }) => [
    `## ${title}`,
    shown
      .filter(({ name }) => fileOf(name) === file)
      .map(({ name, summary }) => `- [\`hv ${name}\`](${file}#hv-${name.replaceAll(' ', '-')}) ${summary}`)
      .join('\n'),
  ])
  const index = [
    '# Commands',
    ...PAGE_TEXT,
    ...lists,
    '## Exit codes',
    `| Exit code | Meaning |\n|---|---|\n${EXIT_MEANS.map(([code, says]) => `| ${code} | ${says} |`).join('\n')}`,
  ]
  const pages = PAGES.map(({ file, title, says }) => {
    const own = shown.filter(({ name }) => fileOf(name) === file)
    const helps = own.map((row) => `## hv ${row.name}\n\n\`\`\`text\n${helpText(row)}\n\`\`\``)
    return [
      file,
      [`# ${title}`, says, '[commands.md](commands.md) has all commands, and the exit codes.', ...helps],
    ] as const
  })
  return Object.fromEntries(
    [['commands.md', index] as const, ...pages].map(([file, parts]) => [
      `docs/operate/${file}`,
      `${parts.join('\n\n')}\n`,
    ]),
  )
}

const PAGE_TEXT = [
  'Every command of `hv`, short for `human-verification`. This page and those it links to are generated from the table behind `--help`\n(`npm run docs`). For example, the sites of a configuration:\n\n```sh\nhv site list --config config/config.yaml\n```',
  'Answers go to standard output; explanations, problems and progress to standard error, progress only on a terminal.\n`--json` prints data for programs, on one line or more, and nothing else on standard output. Colours appear on terminals only,\nand never with [`NO_COLOR`](https://no-color.org) or `TERM=dumb`. A reader that goes away (`hv site list | head -1`) ends a command\nquietly. `hv COMMAND --help`, `hv help COMMAND` and `hv --version` work everywhere; `--` ends the options.',
]
