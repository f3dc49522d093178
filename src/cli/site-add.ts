import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { EMPTY_FILE, addSite } from '../config/edit.ts'
import { hostnameFinding } from '../config/hostnames.ts'
import { checkConfig, configFile } from '../config/load.ts'
import { readText } from '../config/read.ts'
import { replaceFile } from '../config/replace-file.ts'
import { hashSecret } from '../config/secrets.ts'
import { isAction } from '../domain/site.ts'
import { UsageError, command } from './command.ts'
import { newSecret, newSitekey } from './credentials.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'

/** `hv site add`: a new site with a new secret, at the end of the file's list. */
export const siteAdd = command(
  {
    name: 'site add',
    summary: 'adds a site; prints its sitekey and, once, its secret',
    about: `Adds a site to the configuration file and prints its sitekey and its secret. The secret is shown this once:
the file keeps only its hash. Comments, order and formatting of the file stay. A file that does not exist is made.`,
    options: {
      hostname: {
        type: 'string',
        multiple: true,
        required: true,
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
      ...CONFIG,
      ...JSON_OUTPUT,
    },
    examples: [
      "hv site add --hostname shop.example.com --action sign-up --action contact-form --name 'Example shop'",
      "hv site add --hostname shop.example.com --hostname '*.shop.example.com'",
    ],
    consequence: 'nothing was changed',
  },
  async ({ hostname: hostnames, action: actions, name, config, json }, io) => {
    for (const hostname of hostnames) {
      const finding = hostnameFinding([], hostname)
      if (finding) throw new UsageError(`--hostname ${finding.says}`)
    }
    const wrong = actions.find((action) => !isAction(action))
    if (wrong !== undefined) throw new UsageError(`--action wants 1 to 64 of A-Z a-z 0-9 _ - / .; got "${wrong}"`)

    const file = configFile(config, io.env)
    const [sitekey, secret] = [newSitekey(), newSecret()]
    const added = {
      sitekey,
      ...(name === undefined ? {} : { name }),
      secrets: [{ sha256: hashSecret(secret) }],
      hostnames,
      ...(actions.length === 0 ? {} : { actions }),
    }
    const path = resolve(io.cwd, file)
    replaceFile(path, 0o644, () => {
      const text = addSite(existsSync(path) ? readText(path) : EMPTY_FILE, added)
      // Never leave a file behind that the service would refuse.
      checkConfig(text, file, io.env, io.cwd)
      return text
    })
    io.out(json ? JSON.stringify({ sitekey, secret, file }) : `sitekey: ${sitekey}\nsecret:  ${secret}`)
    io.err(`added to ${file}. The secret is not shown again; it belongs on the customer's server, never in a page.`)
    return EXIT.done
  },
)
