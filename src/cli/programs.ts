/** What runs until a signal. Described here with all the other commands; src/programs/, which wires the rooms, runs them. */
import { CONFIG, JSON_OUTPUT, type Options } from './describe.ts'

export const SERVE = {
  name: 'serve',
  summary: 'runs the service',
  about: `Runs the service until SIGTERM. HV_LISTEN, HV_OPS_LISTEN, HV_REDIS_URL, HV_KEYRING and HV_LOG_LEVEL override the file.
SIGHUP, or a change of the configuration, reloads sites and keys; a problem in it changes nothing and is logged.`,
  options: CONFIG,
  examples: [
    'hv serve --config config/config.yaml',
    'HV_LISTEN=0.0.0.0:8080 hv serve',
    'HV_REDIS_URL=redis://127.0.0.1:6379/0 hv serve',
  ],
  refusal: 'it could not start',
} as const

export const TEST_SERVER = {
  name: 'test-server',
  summary: 'runs a service for your tests: every outcome has a sitekey and a secret',
  about: `Runs a service in test mode for the tests of your site: no configuration file, nothing kept. Prints its address, and a
sitekey and a secret for every outcome (docs/start/testing.md). It protects nothing, and refuses to start with
NODE_ENV=production. localhost, 127.0.0.1, [::1] and the names under .test and .localhost are its hostnames.`,
  options: {
    listen: { type: 'string', value: 'HOST:PORT', default: '127.0.0.1:8082', says: 'port 0 picks a free one' },
    hostname: { type: 'string', multiple: true, value: 'H', says: 'where else the widget runs; repeat it for more' },
    ...JSON_OUTPUT,
  },
  examples: ['hv test-server', 'hv test-server --listen 127.0.0.1:0 --hostname web.internal'],
  refusal: 'it could not start',
} as const

export const DEMO = {
  name: 'demo',
  summary: 'runs the service and a demonstration site (npm start)',
  about: `Runs the service with the embedded ledger, and a demonstration site with a protected form, until Ctrl-C. It takes three
ports of this machine: 8080 (HV_LISTEN), 9464 (HV_OPS_LISTEN) and 8081 (--site-listen).`,
  options: {
    ...CONFIG,
    'site-listen': {
      type: 'string',
      value: 'HOST:PORT',
      default: '127.0.0.1:8081',
      says: 'where the demonstration site listens',
    },
  } satisfies Options,
  examples: ['hv demo', 'HV_LISTEN=127.0.0.1:8180 HV_OPS_LISTEN=127.0.0.1:0 hv demo --site-listen 127.0.0.1:8181'],
  refusal: 'it could not start',
} as const

export const DEMO_SITE = {
  name: 'demo-site',
  summary: 'the demonstration site alone',
  about: 'The demonstration site, which hv demo starts as a process of its own.',
  options: {
    service: { type: 'string', value: 'URL', default: 'http://127.0.0.1:8080', says: 'the service' },
    listen: { type: 'string', value: 'HOST:PORT', default: '127.0.0.1:8081', says: 'port 0 picks a free one' },
  },
  examples: ['hv demo-site --service http://127.0.0.1:8080'],
  refusal: 'it could not start',
  hidden: true,
} as const
