import { PassThrough, Readable } from 'node:stream'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { EXIT_MEANS, ioOf } from '../../src/cli/io.ts'
import { hvProgram } from '../../src/cli/run.ts'
import { type Parts, table } from './table.ts'

/** The commands that do something: those of a group, not the group. */
const leavesOf = (
  { commands }: CommandUnknownOpts,
  path = 'hv',
): readonly (readonly [name: string, command: CommandUnknownOpts])[] =>
  commands.flatMap((each) =>
    each.commands.length > 0
      ? leavesOf(each, `${path} ${each.name()}`)
      : [[`${path} ${each.name()}`, each] as const],
  )

const program = await hvProgram(
  ioOf({
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd: '.',
  }),
)

/** The commands of docs/operate/install.md, and their exit codes. */
export const commandsParts = (): Parts => ({
  commands: table(
    ['Command', 'Description'],
    leavesOf(program).map(([name, command]) => [`\`${name}\``, command.summary()]),
  ),
  'exit codes': table(['Exit code', 'Meaning'], Object.entries(EXIT_MEANS)),
})
