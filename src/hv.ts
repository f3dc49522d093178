import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { command, UsageError } from './cli/command.ts'
import { COMMANDS, help } from './cli/commands.ts'
import { newSecret, newSitekey } from './cli/credentials.ts'
import { EXIT } from './cli/exit-codes.ts'
import type { Command, Io } from './cli/io.ts'
import { DEMO, DEMO_SITE, MEASURE, SERVE, TEST_SERVER, TRY } from './cli/programs.ts'
import { terminal } from './cli/terminal.ts'
import type { Config } from './config/config.ts'
import { loadAside } from './config/reload/load-in-thread.ts'
import { checkConfig, configFile, loadConfig } from './config/load.ts'
import { decisionMemory } from './demo/decisions.ts'
import { measureConfig } from './demo/measure-config.ts'
import { measureSite } from './demo/measure-site.ts'
import { demoSite } from './demo/site.ts'
import { startDemo } from './demo/start.ts'
import { trySite } from './demo/try-site.ts'
import { RULES } from './domain/score/score-model.ts'
import { listen } from './http/server/listen.ts'
import { jsonLog } from './ops/log/log.ts'
import { prettierLine } from './ops/log/pretty.ts'
import { type ServiceLog, serviceLog } from './ops/log/service-log.ts'
import { howManyProcesses } from './processes/how-many.ts'
import { joinedOps } from './processes/joined-ops.ts'
import { ProcessNotStarted, REPLACED, runProcesses } from './processes/run-processes.ts'
import { nearest } from './schema/nearest.ts'
import { greeting, greetingData } from './scenarios/table.ts'
import { testServerConfig } from './scenarios/test-server.ts'
import { serve, type Service } from './serve.ts'
import { KeyringError } from './token/keyring.ts'

/** The program behind `hv`: reads the environment and the arguments, here and nowhere else, and starts what was asked for. */
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
const serveCommand = command(SERVE, async ({ config: option, processes }) => {
  const file = configFile(option, env)
  const readAt = Date.now()
  const config = loadConfig(file, env, io.cwd)
  const count = howManyProcesses(processes, availableParallelism(), config.redis !== undefined)
  if (typeof count === 'string') throw new NotStarted(`not started: ${count}`)
  if (count > 1 && cluster.isPrimary) return serveByMany(count, config)
  const load = (): Promise<Config> => loadAside(file, { ...env }, io.cwd)
  // Before anybody hears that we listen: a signal must never find us without an ear for it.
  const stopped = stopSignal()
  let service: Service | undefined
  process.on('SIGHUP', () => service?.reload())
  const log = standardLog(config)
  service = await started(
    serve(config, {
      log,
      linesLost: (tell) => log.onLost(tell),
      load,
      readAt,
      version: version(),
      assets: join(here, 'assets'),
      dashboard: join(here, 'dashboard'),
      listens: cluster.isWorker ? (where) => void process.send?.(where) : undefined,
    }),
    otherAddress(config),
  )
  let isReplaced = false
  if (cluster.isWorker) process.once('message', (message) => (isReplaced = message === REPLACED))
  await stopped
  await service.stop(isReplaced)
  log.info('stopped')
  return EXIT.done
})

/** The process that starts the others: it serves what operators ask, and nothing else. */
async function serveByMany(count: number, config: Config): Promise<number> {
  const stopped = stopSignal()
  const log = standardLog(config)
  const processes = await runProcesses(count, log).catch((error: unknown) => {
    // It has said why.
    if (error instanceof ProcessNotStarted) process.exit(EXIT.problems)
    throw error
  })
  const ops = await started(
    listen(
      joinedOps(() => processes.listening()),
      config.opsListen,
    ),
    otherAddress(config),
  )
  process.on('SIGHUP', () => void processes.replace())
  log.info('listening', { url: processes.url, ops_url: ops.url, detail: `${count} processes` })
  await stopped
  await processes.stop()
  await ops.stop(0)
  log.info('stopped')
  return EXIT.done
}

function standardLog(config: Config): ServiceLog {
  const log = serviceLog({
    level: config.logLevel,
    format: config.logFormat,
    fd: 1,
    stream: process.stdout,
    colours: io.colours === true,
  })
  process.on('exit', () => log.flush())
  return log
}

const otherAddress =
  ({ opsListen }: Config) =>
  ({ port }: { readonly port: number }): string =>
    port === opsListen.port
      ? 'HV_OPS_LISTEN=127.0.0.1:9465, or ops_listen in the configuration'
      : 'HV_LISTEN=127.0.0.1:8180, or listen in the configuration'

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
    () => '--listen 127.0.0.1:0',
  )
  io.out(json ? JSON.stringify(greetingData(service.url, ordinary)) : greeting(service.url, ordinary))
  await stopped
  await service.stop()
  return EXIT.done
})

/** `npm start`: the service with the embedded ledger, and the demonstration site. */
const demoCommand = command(DEMO, ({ config, 'site-listen': siteListen }) =>
  startDemo({
    program: join(here, 'main.js'),
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
const demoSiteCommand = command(DEMO_SITE, ({ service, listen: address }) => {
  const decisions = decisionMemory()
  // `hv demo` hands on what the service's log says of each score.
  process.on('message', (line) => decisions.add(line))
  const explaining = { decisions, wordsFor }
  return sitePage(
    demoSite(service, process.connected ? explaining : undefined),
    address,
    (url) => JSON.stringify({ level: 'info', message: 'listening', url }),
    '--listen 127.0.0.1:8181; with npm start: npm start -- --site-listen 127.0.0.1:8181',
  )
})

/** A page for a site of the operator's own. */
const tryCommand = command(TRY, ({ action, service, listen: address, json }, _io, [sitekey = '']) => {
  if (!/^hv_site_[\w-]+$/.test(sitekey)) throw new UsageError('wants a sitekey: hv_site_ and what follows')
  if (!/^https?:\/\/[^/\s]+$/.test(service)) throw new UsageError('--service wants an address without a path')
  return sitePage(
    trySite({ serviceUrl: service, sitekey, action }),
    address,
    (url) =>
      json
        ? JSON.stringify({ url })
        : `open ${url} and press the button; ${url}/token has the latest token. Ctrl-C ends it`,
    '--listen 127.0.0.1:8181',
  )
})

/** A service of its own behind a page that measures whatever browser opens it. */
const measureCommand = command(MEASURE, async ({ listen: address, hostname: hostnames, json }) => {
  const sitekey = newSitekey()
  // The variables of a service that is running here, too, are not meant for this one.
  const config = checkConfig(measureConfig({ sitekey, hostnames }), 'hv measure', {}, io.cwd)
  const decisions = decisionMemory()
  const lines = new Writable({
    write(line: Buffer, _encoding, done) {
      decisions.add(line)
      done()
    },
  })
  const service = await started(
    serve(config, {
      log: jsonLog('info', lines),
      version: version(),
      assets: join(here, 'assets'),
      dashboard: join(here, 'dashboard'),
    }),
    () => '--listen 127.0.0.1:0',
  )
  const code = await sitePage(
    measureSite({ serviceUrl: service.url, sitekey, action: 'measure', decisions, wordsFor }),
    address,
    (url) => (json ? JSON.stringify({ url }) : `open ${url}, fill in the form and send it. Ctrl-C ends it`),
    '--listen 127.0.0.1:8183',
  )
  await service.stop()
  return code
})

/** Why a rule of the score counts, by its name. */
function wordsFor(name: string): string {
  return RULES.find((rule) => rule.name === name)?.evidence ?? ''
}

/** Serves pages until a signal. */
async function sitePage(
  app: Parameters<typeof listen>[0],
  address: string,
  says: (url: string) => string,
  move: string,
): Promise<number> {
  const [host = '127.0.0.1', port = '8081'] = address.split(':')
  const site = await started(listen(app, { host, port: Number(port) }), () => move)
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
  measure: measureCommand,
}

/** An address that is taken, a Redis or a keyring that cannot be used: said in its own words, without a stack. */
class NotStarted extends Error {}

/** @param move how to take another address instead of this one, where it is taken. */
async function started<T>(start: Promise<T>, move: (taken: { readonly port: number }) => string): Promise<T> {
  try {
    return await start
  } catch (error) {
    if (error instanceof KeyringError) throw error
    const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number }
    if (code === 'EADDRINUSE' && port !== undefined) {
      throw new NotStarted(
        `not started: another program listens on ${address}:${port}. Choose another port: ${move({ port })}`,
      )
    }
    throw new NotStarted(`not started: ${error instanceof Error ? message : String(error)}`)
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
    const [topic, ...rest] = args
    if (topic !== undefined && !topic.startsWith('-'))
      return ALL[topic] ? await ALL[topic].run([...rest, '--help'], io) : noCommand(topic)
    io.out(help())
    return EXIT.done
  }
  if (name === '--version' || name === '-v') {
    io.out(version())
    return EXIT.done
  }
  return ALL[name] ? await ALL[name].run(args, io) : noCommand(name)
}

function noCommand(word: string): number {
  const meant = nearest(word, Object.keys(ALL))
  io.err(`no command "${word}"${meant === undefined ? '' : ` (did you mean hv ${meant}?)`}\n\n${help()}`)
  return EXIT.wrongCall
}

function version(): string {
  return (JSON.parse(readFileSync(join(here, '../package.json'), 'utf8')) as { version: string }).version
}

function stopSignal(...more: NodeJS.Signals[]): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT', ...more] as const) process.on(signal, () => done())
    // Started by `hv demo`, which was killed and could not end us.
    if (process.connected) process.once('disconnect', () => done())
  })
}
