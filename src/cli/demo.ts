import { configOption, define, hostPortOption, urlValue } from './command.ts'
import type { Io } from './io.ts'

/** `npm start`: the service with the embedded ledger, and the demonstration site. */
export const demoCommand = (io: Io) =>
  define('demo', {
    summary: 'run the service and a demonstration site (npm start)',
    about: `Runs the service with the embedded ledger, and a demonstration site with a protected form, until Ctrl-C. It takes three ports of this machine: 8080 (HV_LISTEN), 9464 (HV_OPS_LISTEN) and 8081 (--site-listen). A container publishes 8080 and 8081 under the same numbers, or --service-url names where browsers find the service.`,
    examples: [
      'hv demo',
      'hv demo --service-url http://127.0.0.1:9080  # in a container whose ports are published by -p 9080:8080 -p 9081:8081',
      'HV_LISTEN=[::]:8080 hv demo --public https://demo.example.com --trusted-proxies 10.0.0.0/8',
      'HV_LISTEN=127.0.0.1:8180 HV_OPS_LISTEN=127.0.0.1:0 hv demo --site-listen 127.0.0.1:8181',
    ],
    fails: 'the service could not start',
  })
    .addOption(configOption())
    .addOption(
      hostPortOption(
        '--site-listen <HOST:PORT>',
        'where the demonstration site listens (default: port 8081 where the service listens)',
      ),
    )
    .option(
      '--service-url <URL>',
      'where browsers find the service (default: where it listens)',
      urlValue,
    )
    .option(
      '--public <URL>',
      'a demonstration for strangers, who find it there; on one port, HV_LISTEN',
      urlValue,
    )
    .option('--trusted-proxies <CIDR...>', 'with --public: networks of the proxies in front')
    .action(async ({ public: url, trustedProxies = [], ...options }) => {
      if (url === undefined) return (await import('./local-demo.ts')).demonstrate(io, options)
      const { demonstrateInPublic } = await import('./public-demo.ts')
      return demonstrateInPublic(io, url.origin, trustedProxies)
    })
