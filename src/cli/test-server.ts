import type { Command } from 'commander'
import { checkConfig } from '../settings/load.ts'
import { define, hostPortOption, jsonOption, repeated } from './command.ts'
import type { Io } from './io.ts'
import { newSecret, newSitekey } from './site.ts'
import { parts, started, stopSignal } from './start.ts'

interface Options {
  readonly listen: string
  readonly hostname?: readonly string[]
  readonly json?: true
}

/** `hv test-server`: a service in test mode, for the tests of a customer's site. */
export const testServerCommand = (io: Io): Command =>
  define('test-server', {
    summary: 'run a service for your tests: every outcome has a sitekey and a secret',
    about: `Runs a service in test mode for the tests of your site: no configuration file, nothing kept. Prints its address, and a sitekey and a secret for every outcome (docs/start/testing.md). It protects nothing, and refuses to start with NODE_ENV=production. localhost, 127.0.0.1, [::1] and the names under .test and .localhost are its hostnames.`,
    examples: ['hv test-server', 'hv test-server --listen 127.0.0.1:0 --hostname web.internal'],
    fails: 'it could not start',
  })
    .addOption(hostPortOption('--listen <HOST:PORT>', 'port 0 picks a free one', '127.0.0.1:8082'))
    .option('--hostname <H>', 'where else the widget runs; repeatable', repeated)
    .addOption(jsonOption())
    .action(async ({ listen, hostname: hostnames = [], json }: Options) => {
      const { serve } = await import('../serve.ts')
      const { testServerConfig } = await import('../scenarios/test-server.ts')
      const { greeting, greetingData } = await import('../scenarios/table.ts')
      const { createLog } = await import('../ops/log.ts')
      const ordinary = { sitekey: newSitekey(), secret: newSecret() }
      // The environment variables of a service that runs here, too, are not meant for this one.
      const config = checkConfig(testServerConfig({ listen, hostnames, ordinary }), 'hv test-server', {}, io.cwd)
      const log = createLog({ level: config.logLevel, stream: process.stderr })
      const stopped = stopSignal()
      const service = await started(serve(config, { log, ...parts() }), () => '--listen 127.0.0.1:0')
      io.out(json ? JSON.stringify(greetingData(service.url, ordinary)) : greeting(service.url, ordinary))
      await stopped
      await service.stop()
    })
