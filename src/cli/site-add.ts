import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeNewSites } from '../config/edit/edit-sites.ts'
import { hostnameFinding } from '../config/checks/hostnames.ts'
import { EditError } from '../config/edit/replace-file.ts'
import { hashSecret } from '../config/checks/secrets.ts'
import { isAction } from '../domain/site.ts'
import { UsageError, command } from './command.ts'
import { newSecret, newSitekey } from './credentials.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import type { Io } from './io.ts'
import { settingsToEdit } from './settings.ts'

/** `hv site add`: new sites with new secrets. */
export const siteAdd = command(
  {
    name: 'site add',
    summary: 'adds a site, or many; prints sitekey and, once, secret',
    about: `Adds a site to the configuration and prints its sitekey and its secret. The secret is shown this once: the file
keeps only its hash. Comments, order and formatting of the file stay. A file that does not exist is made. Where the
configuration is a folder, the site gets a file of its own. All is written, or nothing: what would not load is refused.`,
    options: {
      hostname: {
        type: 'string',
        multiple: true,
        value: 'H',
        says: "where the widget may run; repeat it for more. '*.example.com' is every name below",
      },
      action: {
        type: 'string',
        multiple: true,
        value: 'A',
        says: 'an action the site may use; repeat it for more. Left out: any',
      },
      name: { type: 'string', value: 'N', says: 'for people. Left out: the first hostname' },
      from: {
        type: 'string',
        value: 'LIST',
        says: 'many sites at once: a file (-: standard input) with one on each line, its hostnames with spaces between',
      },
      ...CONFIG,
      ...JSON_OUTPUT,
    },
    examples: [
      "hv site add --hostname shop.example.com --action sign-up --action contact-form --name 'Example shop'",
      "hv site add --hostname shop.example.com --hostname '*.shop.example.com'",
      'hv site add --hostname shop.example.com --config /etc/human-verification/',
      'hv site add --from customers.txt --action sign-up --json > secrets.json',
    ],
    consequence: 'nothing was changed',
  },
  async ({ hostname, action: actions, name, from, config, json }, io) => {
    if ((from === undefined) === (hostname.length === 0))
      throw new UsageError('wants at least one --hostname, or --from')
    if (from !== undefined && name !== undefined) throw new UsageError('--name is for one site, --from for many')
    const wrong = actions.find((action) => !isAction(action))
    if (wrong !== undefined) throw new UsageError(`--action wants 1 to 64 of A-Z a-z 0-9 _ - / .; got "${wrong}"`)
    const lines = from === undefined ? [hostname] : linesOf(await listed(from, io))
    for (const [index, hostnames] of lines.entries()) {
      const finding = hostnames.map((each) => hostnameFinding([], each)).find((each) => each !== undefined)
      if (finding)
        throw new UsageError(`${from === undefined ? '--hostname' : `site ${index + 1} of the list`} ${finding.says}`)
    }

    const sites = lines.map((hostnames) => ({ sitekey: newSitekey(), secret: newSecret(), hostnames }))
    const place = settingsToEdit(config, io)
    const files = writeNewSites(
      place,
      sites.map(({ sitekey, secret, hostnames }) => ({
        sitekey,
        ...(name === undefined ? {} : { name }),
        secrets: [{ sha256: hashSecret(secret) }],
        hostnames,
        ...(actions.length === 0 ? {} : { actions }),
        step_up: 'managed' as const,
      })),
    )
    const records = sites.map((each, index) => ({ ...each, file: files[index]! }))
    if (json) io.out(JSON.stringify(from === undefined ? records[0] : records, undefined, from === undefined ? 0 : 2))
    else if (from === undefined) io.out(`sitekey: ${sites[0]!.sitekey}\nsecret:  ${sites[0]!.secret}`)
    else for (const { sitekey, secret, hostnames } of sites) io.out([sitekey, secret, ...hostnames].join(' '))
    const where = files.length === 1 ? files[0] : `${files.length} sites to ${place.file}`
    io.err(
      `added ${files.length === 1 ? 'to ' : ''}${where}. A secret is not shown again; it belongs on the customer's server, never in a page.`,
    )
    return EXIT.done
  },
)

async function listed(from: string, io: Io): Promise<string> {
  io.progress?.(from === '-' ? 'reading standard input' : `reading ${from}`)
  if (from === '-') return (await io.input?.()) ?? ''
  try {
    return readFileSync(resolve(io.cwd, from), 'utf8')
  } catch (error) {
    throw new EditError(`${from}: cannot be read: the system says ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** One site on each line; empty lines and those that start with # are nobody's. */
function linesOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n').map((line) => line.trim())
  const sites = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(/[\s,]+/))
  if (sites.length === 0) throw new UsageError('--from wants at least one line with a hostname')
  return sites
}
