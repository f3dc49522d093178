import { randomBytes } from 'node:crypto'
import { formatMoment } from '../domain/time.ts'
import { writeNewSites, writeRemoval, writeSecret } from '../settings/edit.ts'
import { readHostname } from '../schema/kinds.ts'
import { unexpected } from '../schema/problem.ts'
import { hashSecret } from '../settings/secrets.ts'
import type { Site } from '../domain/site.ts'
import { later, type UnixSeconds } from '../domain/words.ts'
import {
  actionValue,
  configOf,
  configOption,
  define,
  delayOption,
  editTarget,
  group,
  jsonOption,
  matching,
  print,
  textOf,
  UsageError,
} from './command.ts'
import type { Io } from './io.ts'

/** 128 random bits, so that no customer's can be guessed. */
const newSitekey = (): string => `hv_site_${randomBytes(16).toString('base64url')}`
/** 256 random bits. */
export const newSecret = (): string => `hv_secret_${randomBytes(32).toString('base64url')}`

/** `hv site …`: the sites of a configuration. */
export const siteCommand = (io: Io) =>
  group('site', 'add, list, rotate or remove sites', [
    addCommand(io),
    listCommand(io),
    rotateCommand(io),
    removeCommand(io),
  ])

const addCommand = (io: Io) =>
  define('add', {
    summary: 'add one or more sites and print each sitekey and secret (shown only once)',
    about: `Adds a site to the configuration and prints its sitekey and its secret. The secret is shown this once: the file keeps only its hash. Comments, order and formatting of the file stay. A file that does not exist is created. In a folder, each site is written to its own file. Either all sites are written or none; a configuration that would not load is rejected.`,
    examples: [
      "hv site add --hostname shop.example.com --action sign-up --action contact-form --name 'Example shop'",
      "hv site add --hostname shop.example.com --hostname '*.shop.example.com' --action silent-check:0.33",
      'hv site add --hostname shop.example.com --config /etc/human-verification/',
      'hv site add --from customers.txt --action sign-up --json > secrets.json',
    ],
  })
    .option(
      '--hostname <H...>',
      "where the widget may run; repeatable. '*.example.com' is every name below",
    )
    .option(
      '--action <A>',
      'an action the site may use, or action:threshold; repeatable. Default: any',
      moreActions,
    )
    .option('--name <N>', 'display name. Default: the first hostname')
    .option(
      '--from <LIST>',
      'many sites: a file (-: standard input) with the hostnames of one site on each line',
    )
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async ({ hostname = [], action = [], name, from, config, json }) => {
      if ((from === undefined) === (hostname.length === 0))
        throw new UsageError('expected at least one --hostname, or --from')
      if (from !== undefined && name !== undefined)
        throw new UsageError('--name is for one site, --from for many')
      const sites = (await hostnamesOf(hostname, from, io)).map((hostnames) => ({
        sitekey: newSitekey(),
        secret: newSecret(),
        hostnames,
      }))
      const target = editTarget(config, io)
      const files = writeNewSites(
        target,
        sites.map((site) => entryOf(site, name, action)),
      )
      const records = sites.map((each, index) => ({ ...each, file: files[index]! }))
      const [only] = from === undefined ? records : []
      print(io, json, only ?? records, () =>
        only ? secretText(only.sitekey, only.secret) : records.map(lineOf).join('\n'),
      )
      const where =
        files.length === 1 ? `to ${files[0]}` : `${files.length} sites to ${target.file}`
      io.err(
        `added ${where}. A secret is not shown again; it belongs on the customer's server, never in a page.`,
      )
    })

/** A site whose secret has just been made. */
interface NewSite {
  readonly sitekey: string
  readonly secret: string
  readonly hostnames: readonly string[]
}

/** Returns the hostnames of each site to add. @throws {UsageError} before anything is written. */
async function hostnamesOf(
  hostnames: readonly string[],
  from: string | undefined,
  io: Io,
): Promise<readonly (readonly string[])[]> {
  if (from !== undefined) return linesOf(await textOf(from, io))
  checkHostnames(hostnames, '--hostname')
  return [hostnames]
}

/** Returns a site as the configuration spells it: with the hash of its secret alone. */
const entryOf = (
  { sitekey, secret, hostnames }: NewSite,
  name: string | undefined,
  actions: readonly ActionPolicy[],
) => ({
  sitekey,
  ...(name === undefined ? {} : { name }),
  secrets: [{ sha256: hashSecret(secret) }],
  hostnames,
  ...(actions.length === 0 ? {} : { actions }),
  step_up: 'managed' as const,
})

const secretText = (sitekey: string, secret: string): string =>
  `sitekey: ${sitekey}\nsecret:  ${secret}`

const lineOf = ({ sitekey, secret, hostnames }: NewSite): string =>
  [sitekey, secret, ...hostnames].join(' ')

type ActionPolicy = string | { readonly name: string; readonly score_threshold: number }

/** `silent-check:0.33` is an action with its threshold. No action has a colon in its name. */
function moreActions(text: string, earlier: readonly ActionPolicy[] = []): readonly ActionPolicy[] {
  const [name = '', ...threshold] = text.split(':')
  if (threshold.length === 0) return [...earlier, actionValue(name)]
  return [
    ...earlier,
    { name: actionValue(name), score_threshold: Number(thresholdValue(threshold.join(':'))) },
  ]
}
const thresholdValue = matching(/^(0(\.\d{1,2})?|1)$/, 'a threshold from 0 to 1, such as 0.33')

/** One site on each line; empty lines and those that start with # are skipped. @throws {UsageError} before anything is written. */
function linesOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n').map((line) => line.trim())
  const sites = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/[\s,]+/))
  if (sites.length === 0) throw new UsageError('--from expected at least one line with a hostname')
  for (const [index, hostnames] of sites.entries())
    checkHostnames(hostnames, `site ${index + 1} of the list`)
  return sites
}

function checkHostnames(hostnames: readonly string[], where: string): void {
  for (const text of hostnames) {
    const { value, expected = 'a hostname', hint } = readHostname(text)
    if (value === undefined)
      throw new UsageError(`${where}: ${unexpected([], expected, text, hint).says}`)
  }
}

const listCommand = (io: Io) =>
  define('list', {
    summary: 'list the sites, without secrets',
    about:
      'Lists the sites: sitekey, name, hostnames, how many secrets are valid, and until when. Neither secrets nor hashes are shown.',
    examples: ['hv site list', 'hv site list --json'],
  })
    .addOption(configOption())
    .addOption(jsonOption())
    .action(({ config, json }) => {
      const records = configOf(config, io).sites.map((site) => recordOf(site, io.now()))
      print(io, json, records, () =>
        table([['SITEKEY', 'NAME', 'HOSTNAMES', 'SECRETS'], ...records.map(rowOf)]),
      )
    })

/** A site for other programs: of its secrets only when they expire; null: never. */
const recordOf = (site: Site, now: UnixSeconds) => ({
  sitekey: site.sitekey,
  name: site.name,
  hostnames: site.hostnames,
  app_origins: site.appOrigins ?? [],
  actions: site.actions ?? null,
  score_threshold: site.scoreThreshold,
  live_secrets_until: site.secrets
    .filter(({ notAfter }) => notAfter === undefined || notAfter > now)
    .map(({ notAfter }) => (notAfter === undefined ? null : formatMoment(notAfter))),
})

function rowOf(record: ReturnType<typeof recordOf>): readonly string[] {
  const live = record.live_secrets_until.map((end) => (end === null ? 'no end' : `until ${end}`))
  const secrets =
    live.length === 0
      ? 'none is valid: hv site rotate makes one'
      : `${live.length} live: ${live.join(', ')}`
  return [
    record.sitekey,
    record.name,
    [...record.hostnames, ...record.app_origins].join(' '),
    secrets,
  ]
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  return rows.map(line).join('\n')
}

const rotateCommand = (io: Io) =>
  define('rotate', {
    summary: 'add a secret to a site; older ones expire after the overlap',
    about: `Gives a site a second secret and prints it, once. The old ones stay valid for the overlap: time to put the new one on the customer's servers. Comments, order and formatting of the file stay.`,
    examples: [
      'hv site rotate hv_site_AbCdEfGhIjKlMnOpQrStUv',
      'hv site rotate hv_site_AbCdEfGhIjKlMnOpQrStUv --overlap 7d',
    ],
  })
    .argument('<SITEKEY>')
    .addOption(
      delayOption(
        '--overlap <TIME>',
        '0s to 90d; 0s expires the old secrets at once, for one that leaked',
        '2h',
      ),
    )
    .addOption(configOption())
    .addOption(jsonOption())
    .action((sitekey, { overlap, config, json }) => {
      const until = later(io.now(), overlap)
      const secret = newSecret()
      const file = writeSecret(editTarget(config, io), sitekey, hashSecret(secret), until)
      const data = { sitekey, secret, file, older_until: formatMoment(until) }
      print(io, json, data, () => secretText(sitekey, secret))
      io.err(
        `The older secrets of ${file} are refused from ${formatMoment(until)} on. This one is not shown again.`,
      )
    })

const removeCommand = (io: Io) =>
  define('remove', {
    summary: 'remove a site; its tokens and secrets are refused from then on',
    about: `Removes a site from the configuration, with the comment lines right above it. A running service reloads it within seconds: its widgets get no challenge, and its secrets are rejected. It cannot be undone: the file has only hashes of secrets. Everything else of the file stays. The last site is not removed, as nothing loads without one.`,
    examples: ['hv site remove hv_site_AbCdEfGhIjKlMnOpQrStUv'],
  })
    .argument('<SITEKEY>')
    .addOption(configOption())
    .addOption(jsonOption())
    .action((sitekey, { config, json }) => {
      const file = writeRemoval(editTarget(config, io), sitekey)
      print(io, json, { removed: sitekey, file }, () => `removed ${sitekey} from ${file}`)
    })
