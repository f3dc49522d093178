import { LOADERS, type Load } from './cli/loaders.ts'
import { EXIT } from './cli/exit-codes.ts'
import type { Io } from './cli/io.ts'
import { terminal } from './cli/terminal.ts'
import { NotStarted, version } from './programs/start.ts'
import { nearest } from './schema/nearest.ts'

/** The program behind `hv`: reads the environment and the arguments, here and nowhere else, and starts what was asked for. */
const io: Io = {
  ...terminal({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    elapsed: () => performance.now(),
  }),
  env: process.env,
  cwd: process.cwd(),
}

/** What runs until a signal: it needs every room, which a command of `cli/` may not know. */
const ALL: Readonly<Record<string, Load>> = {
  ...LOADERS,
  __proto__: null as never,
  serve: async () => (await import('./programs/serve-command.ts')).serveCommand,
  'test-server': async () => (await import('./programs/test-server-command.ts')).testServerCommand,
  demo: async () => (await import('./programs/demo-command.ts')).demoCommand,
  'demo-site': async () => (await import('./programs/demo-site-command.ts')).demoSiteCommand,
}

const [name = 'help', ...args] = process.argv.slice(2)
// `hv site list | head -1`: whoever read has enough. A log has an ear of its own for this, so that a service goes on.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (!(name in LOADERS)) return
  if (code === 'EPIPE') process.exit()
  io.err(`standard output cannot be written (${code}): what was printed is lost. If that was a secret: hv site rotate`)
  process.exit(EXIT.problems)
})

process.exitCode = await run().catch((error: unknown) => {
  if (error instanceof NotStarted) {
    io.err(error.message)
    return EXIT.problems
  }
  io.err(`a defect of hv, please report it: ${error instanceof Error ? error.stack : String(error)}`)
  return EXIT.defect
})
// What could not start may have opened something before, and nothing of that is to go on: half a service answers, and never ends.
if (!(name in LOADERS)) process.exit()

async function run(): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) {
    // `hv help site add` is `hv site add --help`.
    const [topic, ...rest] = args
    if (topic !== undefined && !topic.startsWith('-')) return runCommand(topic, [...rest, '--help'])
    io.out(await help())
    return EXIT.done
  }
  if (name === '--version' || name === '-v') {
    io.out(version())
    return EXIT.done
  }
  return runCommand(name, args)
}

async function runCommand(word: string, rest: string[]): Promise<number> {
  const load = ALL[word]
  return load ? await (await load()).run(rest, io) : await noCommand(word)
}

/** Reads every command there is, for what each says of itself. */
async function help(): Promise<string> {
  const { help: says } = await import('./cli/commands.ts')
  return says()
}

async function noCommand(word: string): Promise<number> {
  const meant = nearest(word, Object.keys(ALL))
  io.err(`no command "${word}"${meant === undefined ? '' : ` (did you mean hv ${meant}?)`}\n\n${await help()}`)
  return EXIT.wrongCall
}
