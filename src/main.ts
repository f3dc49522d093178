#!/usr/bin/env node
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Io } from './cli/io.ts'
import { COMMANDS, help } from './cli/commands.ts'
import { newSecret, newSitekey } from './cli/credentials.ts'
import { type Config, ConfigError } from './config/config.ts'
import { checkConfig, configFile, loadConfig } from './config/load.ts'
import { formatReport } from './config/report.ts'
import { demoSite } from './demo/site.ts'
import { startDemo } from './demo/start.ts'
import { listen } from './http/listen.ts'
import { jsonLog } from './ops/log.ts'
import { greeting } from './scenarios/table.ts'
import { testServerConfig } from './scenarios/test-server.ts'
import { serve, type Service } from './serve.ts'
import { KeyringError } from './token/keyring.ts'

/** The `hv` command: reads the environment and the arguments, here and nowhere else, and starts what was asked for. */
const here = dirname(fileURLToPath(import.meta.url))
const { env } = process
const io: Io = {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  env,
  cwd: process.cwd(),
}

const SERVE_USAGE = `hv serve [--config FILE]

Runs the service until SIGTERM. Settings: --config FILE, else HV_CONFIG, else config/config.yaml; HV_LISTEN, HV_OPS_LISTEN,
HV_REDIS_URL, HV_KEYRING and HV_LOG_LEVEL override the file. SIGHUP, or a change of the file, reloads sites and keys.

  hv serve --config config/config.yaml`

const TEST_SERVER_USAGE = `hv test-server [--listen 127.0.0.1:8082] [--hostname H…]

Runs a service in test mode for the tests of your site: no configuration file, nothing kept. Prints its address, and a
sitekey and a secret for every outcome (docs/testing.md). It protects nothing, and refuses to start with
NODE_ENV=production. localhost, 127.0.0.1, [::1] and the names under .test and .localhost are its hostnames.

  --hostname H   where else the widget runs; repeat it for more

  hv test-server
  hv test-server --listen 127.0.0.1:0 --hostname web.internal`

const [command = 'help', ...args] = process.argv.slice(2)
process.exitCode = await run(command).catch((error: unknown) => {
  if (error instanceof ConfigError) io.err(formatReport(error))
  else if (isUsage(error) || error instanceof KeyringError) io.err((error as Error).message)
  else io.err(error instanceof Error && command === 'serve' ? `not started: ${error.message}` : String(error))
  return isUsage(error) ? 2 : 1
})

function run(name: string): Promise<number> {
  switch (name) {
    case 'serve':
      return serveCommand()
    case 'test-server':
      return testServerCommand()
    case 'demo':
      return demoCommand()
    case 'demo-site':
      return demoSiteCommand()
    default:
      return COMMANDS[name]?.run(args, io) ?? unknown(name)
  }
}

/** `hv serve`: the service alone, until SIGTERM. */
async function serveCommand(): Promise<number> {
  const { values } = parseArgs({ args, options: { config: { type: 'string' }, help: { type: 'boolean', short: 'h' } } })
  if (values.help === true) {
    io.out(SERVE_USAGE)
    return 0
  }
  const load = (): Config => loadConfig(configFile(values.config, env), env, io.cwd)
  const config = load()
  // Before anybody hears that we listen: a signal must never find us without an ear for it.
  const stopped = stopSignal()
  let service: Service | undefined
  process.on('SIGHUP', () => service?.reload())
  const log = jsonLog(config.logLevel, process.stdout)
  service = await serve(config, { log, load, assets: join(here, 'assets') })
  await stopped
  await service.stop()
  log.info('stopped')
  return 0
}

/** `hv test-server`: a service for customers' tests, until SIGTERM. */
async function testServerCommand(): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      listen: { type: 'string', default: '127.0.0.1:8082' },
      hostname: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) {
    io.out(TEST_SERVER_USAGE)
    return 0
  }
  const ordinary = { sitekey: newSitekey(), secret: newSecret() }
  // The variables of a service that is running here, too, are not meant for this one.
  const surroundings = { NODE_ENV: env['NODE_ENV'] }
  const config = checkConfig(
    testServerConfig({ listen: values.listen, hostnames: values.hostname, ordinary }),
    'hv test-server',
    surroundings,
    io.cwd,
  )
  const log = jsonLog(config.logLevel, process.stderr)
  const stopped = stopSignal()
  const service = await serve(config, { log, assets: join(here, 'assets') })
  io.out(greeting(service.url, ordinary))
  await stopped
  await service.stop()
  return 0
}

/** `npm start`: the service with the embedded ledger, and the demonstration site. */
function demoCommand(): Promise<number> {
  const { values } = parseArgs({ args, options: { config: { type: 'string' }, 'site-listen': { type: 'string' } } })
  return startDemo({
    program: fileURLToPath(import.meta.url),
    config: values.config ?? join(here, '../config/demo.yaml'),
    siteListen: values['site-listen'] ?? '127.0.0.1:8081',
    env,
    out: io.out,
    stopped: stopSignal(),
  })
}

/** The demonstration site's process. */
async function demoSiteCommand(): Promise<number> {
  const { values } = parseArgs({ args, options: { service: { type: 'string' }, listen: { type: 'string' } } })
  const [host = '127.0.0.1', port = '8081'] = (values.listen ?? '127.0.0.1:8081').split(':')
  const site = await listen(demoSite(values.service ?? 'http://127.0.0.1:8080'), { host, port: Number(port) })
  io.out(JSON.stringify({ level: 'info', message: 'listening', url: site.url }))
  await stopSignal()
  await site.stop(1000)
  return 0
}

function stopSignal(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => done())
  })
}

async function unknown(name: string): Promise<number> {
  const asked = ['help', '--help', '-h'].includes(name)
  ;(asked ? io.out : io.err)(asked ? help() : `no command "${name}"\n\n${help()}`)
  return asked ? 0 : 2
}

function isUsage(error: unknown): boolean {
  return error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
}
