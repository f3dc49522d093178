import { parseArgs } from 'node:util'
import { configFile, loadConfig } from '../config/load.ts'
import { formatMoment } from '../config/secrets.ts'
import type { Site } from '../domain/site.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { command, nowOf } from './command.ts'

const usage = `hv site list [--config FILE]

Lists the sites: sitekey, name, hostnames, and how many secrets are live until when. No secret, no hash.

  hv site list
  hv site list --config /etc/human-verification/config.yaml`

/** `hv site list`: a table of the sites. */
export const siteList = command({ usage, consequence: 'nothing was listed' }, async (args, io) => {
  const { values } = parseArgs({ args, options: { config: { type: 'string' } } })
  const { sites } = loadConfig(configFile(values.config, io.env), io.env, io.cwd)
  const now = nowOf(io)
  const rows = sites.map((site) => [site.sitekey, site.name, site.hostnames.join(' '), secretsOf(site, now)])
  io.out(table([['SITEKEY', 'NAME', 'HOSTNAMES', 'SECRETS'], ...rows]))
  return 0
})

function secretsOf({ secrets }: Site, now: UnixSeconds): string {
  const live = secrets.filter(({ notAfter }) => notAfter === undefined || notAfter > now)
  if (live.length === 0) return 'none is live: hv site rotate makes one'
  const ends = live.map(({ notAfter }) => (notAfter === undefined ? 'no end' : `until ${formatMoment(notAfter)}`))
  return `${live.length} live: ${ends.join(', ')}`
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
