import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { EditError } from '../settings/edit.ts'
import { ConfigError, formatReport } from '../schema/problem.ts'
import { KeyringError } from '../tokens/keyring.ts'
import { Problem, UsageError } from './command.ts'
import { EXIT, type Io, ioOf } from './io.ts'
import { version } from '../package.ts'
import { SERVICES } from './process-signals.ts'

type Load = () => Promise<(io: Io) => CommandUnknownOpts>

/** Every command, in the order of `hv --help`. Each is loaded alone, so that `hv check` starts without the others' files. */
const COMMANDS: Readonly<Record<string, Load>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  site: async () => (await import('./site.ts')).siteCommand,
  keygen: async () => (await import('./keygen.ts')).keygenCommand,
  explain: async () => (await import('./explain.ts')).explainCommand,
  rules: async () => (await import('./rules.ts')).rulesCommand,
  pass: async () => (await import('./pass.ts')).passCommand,
  agents: async () => (await import('./agents.ts')).agentsCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  'test-server': async () => (await import('./test-server.ts')).testServerCommand,
}

/** The whole of `hv`. @param only the one command that is needed. */
export async function hvProgram(io: Io, only?: string): Promise<Command> {
  const program = new Command('hv')
    .description('human-verification: a self-hosted human verification service')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help with examples')
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.err(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'usage error: ')),
    })
    .exitOverride()
  const names = only !== undefined && Object.hasOwn(COMMANDS, only) ? [only] : Object.keys(COMMANDS)
  // One after the other: jest cannot link two modules at a time that share one.
  for (const name of names) program.addCommand((await COMMANDS[name]!())(io))
  inherit(program)
  return program
}

/** Gives a program's settings to all its commands. */
function inherit(parent: CommandUnknownOpts): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent).showHelpAfterError(`More: ${pathOf(command)} --help`)
    inherit(command)
  }
}

const pathOf = (command: CommandUnknownOpts): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

/** Runs one command line. @returns the exit code. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let name = 'hv'
  try {
    const program = await hvProgram(io, args[0])
    program.hook('preAction', (_program, command) => {
      name = pathOf(command)
    })
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
    return io.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (error instanceof UsageError) {
      io.err(`usage error: ${error.message}\nMore: ${name} --help`)
      return EXIT.usage
    }
    if (error instanceof ConfigError) io.err(formatReport(error, consequenceFor(args[0]!)))
    else if (
      error instanceof Problem ||
      error instanceof EditError ||
      error instanceof KeyringError
    )
      io.err(error.message)
    else {
      io.err(
        `internal error of hv, please report it: ${error instanceof Error ? error.stack : String(error)}`,
      )
      return EXIT.defect
    }
    return EXIT.problems
  }
}

/** Commands that write, for the report of a configuration with errors. */
const CHANGES = new Set(['site', 'keygen', 'agents'])

function consequenceFor(command: string): string {
  if (SERVICES.has(command)) return 'nothing was started'
  return CHANGES.has(command) ? 'nothing was changed' : 'it cannot be used'
}

/** The program behind `hv`: passes arguments, environment and streams to the command, so that commands run in tests too. */
export async function main(): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process
  const args = argv.slice(2)
  const io = ioOf({ stdin, stdout, stderr, env, cwd: process.cwd() })
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A service goes on without a reader of its log; and a reader may close the pipe: `hv site list | head -1`.
    if (SERVICES.has(args[0] ?? '') || code === 'EPIPE') return
    io.err(
      `standard output cannot be written (${code}): what was printed is lost. If that was a secret: hv site rotate`,
    )
    process.exitCode = EXIT.problems
  })
  const code = await run(args, io)
  process.exitCode ??= code
}
