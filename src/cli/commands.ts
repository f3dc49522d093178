import { check } from './check.ts'
import { doctor } from './doctor.ts'
import type { Command } from './io.ts'
import { keygen } from './keygen.ts'
import { openapi } from './openapi.ts'
import { site } from './site.ts'
import { token } from './token.ts'

/** The commands that come to an end. `serve` and `demo` are main.ts's own. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  // `hv constructor` is no command.
  __proto__: null as never,
  check: { summary: 'validates the configuration', run: check },
  doctor: { summary: 'attacks the form handler of your own site; it must refuse', run: doctor },
  site: { summary: 'add, rotate or list sites', run: site },
  keygen: { summary: 'adds a signing key and makes it active', run: keygen },
  token: { summary: 'opens a token: its claims, and whether it would be accepted', run: token },
  openapi: { summary: 'prints the OpenAPI document', run: openapi },
}

/** What `hv help` prints. */
export function help(): string {
  const summaries = [
    ['serve', 'runs the service'],
    ['test-server', 'runs a service for your tests: every outcome has a sitekey and a secret'],
    ['demo', 'runs the service and a demonstration site (npm start)'],
    ...Object.entries(COMMANDS).map(([name, each]) => [name, each.summary]),
  ]
  return [
    'human-verification (hv): a human-verification service that you run yourself',
    '',
    ...summaries.map(([name, summary]) => `  hv ${name!.padEnd(11)}  ${summary}`),
    '',
    'Settings: --config FILE, else HV_CONFIG, else config/config.yaml. More with: hv COMMAND --help',
  ].join('\n')
}
