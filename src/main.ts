#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command, UsageError } from './cli/command.ts'
import { COMMANDS, help, TABLE } from './cli/commands.ts'
import { newSecret, newSitekey } from './cli/credentials.ts'
import { EXIT } from './cli/exit-codes.ts'
import type { Command, Io } from './cli/io.ts'
import { commandsPage } from './cli/markdown.ts'
import { DEMO, DEMO_SITE, SERVE, TEST_SERVER, TRY } from './cli/programs.ts'
import { terminal } from './cli/terminal.ts'
import type { Config } from './config/config.ts'
import { loadAside } from './config/load-aside.ts'
import { checkConfig, configFile, loadConfig } from './config/load.ts'
import { demoSite } from './demo/site.ts'
import { startDemo } from './demo/start.ts'
import { trySite } from './demo/try-site.ts'
import { listen } from './http/listen.ts'
import { jsonLog } from './ops/log.ts'
import { prettierLine } from './ops/pretty.ts'
import { serviceLog } from './ops/service-log.ts'
import { greeting, greetingData } from './scenarios/table.ts'
import { testServerConfig } from './scenarios/test-server.ts'
import { serve, type Service } from './serve.ts'
import { KeyringError } from './token/keyring.ts'

/** The `hv` command: reads the environment and the arguments, here and nowhere else, and starts what was asked for. */
const here = dirname(fileURLToPath(import.meta.url))
const { env } = process
const io: Io = {
  ...terminal({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env,
    elapsed: () => performance.now(),
  }),
  env,
  cwd: process.cwd(),
}

/** What runs until a signal: it needs every room, which a command of `cli/` may not know. */
const serveCommand = command(SERVE, async ({ config: named }) => {
  const file = configFile(named, env)
  const readAt = Date.now()
  const config = loadConfig(file, env, io.cwd)
  const load = (): Promise<Config> => loadAside(file, { ...env }, io.cwd)
  // Before anybody hears that we listen: a signal must never find us without an ear for it.
  const stopped = stopSignal()
  let service: Service | undefined
  process.on('SIGHUP', () => service?.reload())
  const log = serviceLog({
    level: config.logLevel,
    format: config.logFormat,
    fd: 1,
    stream: process.stdout,
    colours: io.colours === true,
  })
  process.on('exit', () => log.flush())
  service = await started(
    serve(config, {
      log,
      linesLost: (tell) => log.onLost(tell),
      load,
      readAt,
      version: version(),
      assets: join(here, 'assets'),
      dashboard: join(here, 'dashboard'),
    }),
  )
  await stopped
  await service.stop()
  log.info('stopped')
  return EXIT.done
})

const testServerCommand = command(TEST_SERVER, async ({ listen: address, hostname: hostnames, json }) => {
  const ordinary = { sitekey: newSitekey(), secret: newSecret() }
  // The variables of a service that is running here, too, are not meant for this one.
  const surroundings = { NODE_ENV: env['NODE_ENV'] }
  const config = checkConfig(
    testServerConfig({ listen: address, hostnames, ordinary }),
    'hv test-server',
    surroundings,
    io.cwd,
  )
  const log = jsonLog(config.logLevel, process.stderr)
  const stopped = stopSignal()
  const service = await started(
    serve(config, { log, version: version(), assets: join(here, 'assets'), dashboard: join(here, 'dashboard') }),
  )
  io.out(json ? JSON.stringify(greetingData(service.url, ordinary)) : greeting(service.url, ordinary))
  await stopped
  await service.stop()
  return EXIT.done
})

/** `npm start`: the service with the embedded ledger, and the demonstration site. */
const demoCommand = command(DEMO, ({ config, 'site-listen': siteListen }) =>
  startDemo({
    program: fileURLToPath(import.meta.url),
    config: config ?? join(here, '../config/demo.yaml'),
    siteListen,
    env,
    out: io.out,
    // For people, where people look; a program behind a pipe gets the lines as the service wrote them.
    logLine: process.stdout.isTTY ? (line) => prettierLine(line, io.colours === true) : (line) => line,
    // Its children have no terminal, and so do not hear that ours was closed.
    stopped: stopSignal('SIGHUP'),
  }),
)

/** The demonstration site's process. */
const demoSiteCommand = command(DEMO_SITE, ({ service, listen: address }) =>
  sitePage(demoSite(service), address, (url) => JSON.stringify({ level: 'info', message: 'listening', url })),
)

/** A page for a site of the operator's own. */
const tryCommand = command(TRY, ({ action, service, listen: address, json }, _io, [sitekey = '']) => {
  if (!/^hv_site_[\w-]+$/.test(sitekey)) throw new UsageError('wants a sitekey: hv_site_ and what follows')
  if (!/^https?:\/\/[^/\s]+$/.test(service)) throw new UsageError('--service wants an address without a path')
  return sitePage(trySite({ serviceUrl: service, sitekey, action }), address, (url) =>
    json
      ? JSON.stringify({ url })
      : `open ${url} and press the button; ${url}/token has the latest token. Ctrl-C ends it`,
  )
})

/** Serves pages until a signal. */
async function sitePage(
  app: Parameters<typeof listen>[0],
  address: string,
  says: (url: string) => string,
): Promise<number> {
  const [host = '127.0.0.1', port = '8081'] = address.split(':')
  const site = await started(listen(app, { host, port: Number(port) }))
  io.out(says(site.url))
  await stopSignal()
  await site.stop(1000)
  return EXIT.done
}

const ALL: Readonly<Record<string, Command>> = {
  ...COMMANDS,
  __proto__: null as never,
  serve: serveCommand,
  'test-server': testServerCommand,
  demo: demoCommand,
  'demo-site': demoSiteCommand,
  try: tryCommand,
}

/** An address that is taken, a Redis or a keyring that cannot be used: said in its own words, without a stack. */
class NotStarted extends Error {}

async function started<T>(start: Promise<T>): Promise<T> {
  try {
    return await start
  } catch (error) {
    if (error instanceof KeyringError) throw error
    throw new NotStarted(`not started: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const [name = 'help', ...args] = process.argv.slice(2)
// `hv site list | head -1`: whoever read has enough. A log has an ear of its own for this, so that a service goes on.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (!(name in COMMANDS)) return
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
if (!(name in COMMANDS)) process.exit()

async function run(): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) {
    // `hv help site add` is `hv site add --help`.
    const [asked, ...rest] = args
    if (asked === '--markdown') {
      io.out(commandsPage(TABLE).trimEnd())
      return EXIT.done
    }
    if (asked !== undefined && !asked.startsWith('-'))
      return ALL[asked] ? await ALL[asked].run([...rest, '--help'], io) : noCommand(asked)
    io.out(help())
    return EXIT.done
  }
  if (name === '--version' || name === '-v') {
    io.out(version())
    return EXIT.done
  }
  return ALL[name] ? await ALL[name].run(args, io) : noCommand(name)
}

function noCommand(asked: string): number {
  io.err(`no command "${asked}"\n\n${help()}`)
  return EXIT.wrongCall
}

function version(): string {
  return (JSON.parse(readFileSync(join(here, '../package.json'), 'utf8')) as { version: string }).version
}

function stopSignal(...more: NodeJS.Signals[]): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT', ...more] as const) process.on(signal, () => done())
  })
}
