import { formatMoment } from '../config/checks/secrets.ts'
import type { Site } from '../domain/site.ts'
import type { UnixSeconds } from '../domain/words.ts'
import { command, nowOf } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { settings } from './settings.ts'

/** `hv site list`: a table of the sites. */
export const siteList = command(
  {
    name: 'site list',
    summary: 'lists the sites, without secrets',
    about: 'Lists the sites: sitekey, name, hostnames, and how many secrets are live until when. No secret, no hash.',
    options: {
      match: {
        type: 'string',
        value: 'TEXT',
        says: 'only sites whose sitekey, name or one of whose hostnames or actions has this text in it',
      },
      ...CONFIG,
      ...JSON_OUTPUT,
    },
    examples: ['hv site list', 'hv site list --match shop', 'hv site list --json'],
    consequence: 'nothing was listed',
  },
  async ({ match = '', config, json }, io) => {
    const { sites } = settings(config, io)
    const now = nowOf(io)
    const listed = sites.filter((site) => isMatch(site, match))
    if (json)
      io.out(
        JSON.stringify(
          listed.map((site) => shown(site, now)),
          undefined,
          2,
        ),
      )
    else {
      const rows = listed.map((site) => [
        site.sitekey,
        site.name,
        [...site.hostnames, ...(site.appOrigins ?? [])].join(' '),
        secretsOf(site, now),
      ])
      io.out(table([['SITEKEY', 'NAME', 'HOSTNAMES', 'SECRETS'], ...rows]))
    }
    return EXIT.done
  },
)

const isMatch = ({ sitekey, name, hostnames, appOrigins = [], actions = [] }: Site, text: string): boolean =>
  [sitekey, name, ...hostnames, ...appOrigins, ...actions].some((each) =>
    each.toLowerCase().includes(text.toLowerCase()),
  )

const liveOf = ({ secrets }: Site, now: UnixSeconds): Site['secrets'] =>
  secrets.filter(({ notAfter }) => notAfter === undefined || notAfter > now)

/** A site for other programs: of its secrets only when they end. */
function shown(site: Site, now: UnixSeconds): object {
  const ends = liveOf(site, now).map(({ notAfter }) => (notAfter === undefined ? null : formatMoment(notAfter)))
  const { sitekey, name, hostnames, appOrigins, actions, scoreThreshold } = site
  return {
    sitekey,
    name,
    hostnames,
    app_origins: appOrigins ?? [],
    actions: actions ?? null,
    score_threshold: scoreThreshold,
    live_secrets_until: ends,
  }
}

function secretsOf(site: Site, now: UnixSeconds): string {
  const live = liveOf(site, now)
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
