import { checkConfig } from '../settings/load.ts'
import { define, hostPortOption, jsonOption, print } from './command.ts'
import type { Io } from './io.ts'
import { packageParts } from '../package.ts'
import { stopSignal } from './process-signals.ts'
import { reachable, started } from './start.ts'

/** `hv test-server`: a service for the tests of a customer's site, with a fixed verdict for each secret. */
export const testServerCommand = (io: Io) =>
  define('test-server', {
    summary: 'run a service for your tests: every outcome has a secret',
    about: `Runs a service for the tests of your site: without a configuration file or stored data. Prints its address, its sitekey, and a secret for every outcome (docs/start/testing.md). It protects nothing. localhost, 127.0.0.1 and [::1] are its hostnames.`,
    examples: ['hv test-server', 'hv test-server --listen 127.0.0.1:0 --hostname web.internal'],
    fails: 'the service could not start',
  })
    .addOption(
      hostPortOption('--listen <HOST:PORT>', 'port 0 picks a free one').default('127.0.0.1:8082'),
    )
    .option('--hostname <H...>', 'another hostname of the widget; repeatable')
    .addOption(jsonOption())
    .action(async ({ listen, hostname: hostnames = [], json }) => {
      const { serve } = await import('../serve.ts')
      const { greeting, greetingData, testApp, testConfig } = await import('../demo/test-server.ts')
      const { createLog } = await import('../ops/log.ts')
      // The environment may be meant for a service that also runs here.
      const config = checkConfig(testConfig(listen, hostnames), 'hv test-server', {}, io.cwd)
      const log = createLog({ level: config.logLevel, stream: process.stderr })
      log.warn('TEST SERVER: it protects nothing', {
        detail: 'its secrets are published in docs/start/testing.md',
      })
      const stopped = stopSignal()
      const service = await started(
        serve(config, { log, ...packageParts(), wrap: (app) => testApp(app, log) }),
        () => '--listen 127.0.0.1:0',
      )
      const url = reachable(service.url)
      print(io, json, greetingData(url), () => greeting(url))
      await stopped
      await service.close()
    })
