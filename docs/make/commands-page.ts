import { PassThrough, Readable } from 'node:stream'
import type { Command } from 'commander'
import { EXIT_MEANS, ioOf } from '../../src/cli/io.ts'
import { hvProgram } from '../../src/cli/run.ts'
import { table } from './table.ts'

/** Everything of a command's help, as `hv COMMAND --help` prints it. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 120 })
  command.outputHelp()
  return text.trimEnd()
}

/** The commands that do something: those of a group, not the group. */
const leavesOf = ({ commands }: Command, path = 'hv'): readonly (readonly [name: string, command: Command])[] =>
  commands.flatMap((each) =>
    each.commands.length > 0 ? leavesOf(each, `${path} ${each.name()}`) : [[`${path} ${each.name()}`, each] as const],
  )

const program = await hvProgram(
  ioOf({ stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough(), env: {}, cwd: '.' }),
)

/** `docs/operate/commands.md`: every command with its help, and the exit codes. `npm run docs` writes it. */
export function commandsPage(): string {
  const commands = leavesOf(program)
  return `# Commands

Every command of \`hv\`, short for \`human-verification\`. This page is generated from the definitions behind \`--help\` (\`npm run docs\`).

${table(
  ['Command', 'Does'],
  commands.map(([name, command]) => [`[\`${name}\`](#${name.replaceAll(' ', '-')})`, command.summary()]),
)}

Answers go to standard output, explanations and problems to standard error. \`--json\` prints data for programs, and nothing else on
standard output. Colours appear on terminals only, and never with [\`NO_COLOR\`](https://no-color.org).

${table(
  ['Exit code', 'Meaning'],
  Object.entries(EXIT_MEANS).map(([code, meaning]) => [code, meaning]),
)}

${commands.map(([name, command]) => `## ${name}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``).join('\n\n')}
`
}
