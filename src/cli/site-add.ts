import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { EMPTY_FILE, addSite } from '../config/edit.ts'
import { hostnameFinding } from '../config/hostnames.ts'
import { checkConfig, configFile } from '../config/load.ts'
import { readText } from '../config/read.ts'
import { replaceFile } from '../config/replace-file.ts'
import { hashSecret } from '../config/secrets.ts'
import { isAction } from '../domain/site.ts'
import { UsageError, command } from './command.ts'
import { newSecret, newSitekey } from './credentials.ts'

const usage = `hv site add --hostname H… [--action A…] [--name N] [--config FILE]

Adds a site to the configuration file and prints its sitekey and its secret. The secret is shown this once:
the file keeps only its hash. Comments, order and formatting of the file stay. A file that does not exist is made.

  --hostname H   where the widget may run; repeat it for more. '*.example.com' is every name below
  --action A     an action the site may use; repeat it for more. Left out: any
  --name N       for people. Left out: the first hostname

  hv site add --hostname shop.example.com --action sign-up --action contact-form --name 'Example shop'`

/** `hv site add`: a new site with a new secret, at the end of the file's list. */
export const siteAdd = command({ usage, consequence: 'nothing was changed' }, async (args, io) => {
  const { values } = parseArgs({
    args,
    options: {
      hostname: { type: 'string', multiple: true },
      action: { type: 'string', multiple: true },
      name: { type: 'string' },
      config: { type: 'string' },
    },
  })
  const { hostname: hostnames = [], action: actions, name } = values
  if (hostnames.length === 0) throw new UsageError('wants at least one --hostname')
  for (const hostname of hostnames) {
    const finding = hostnameFinding([], hostname)
    if (finding) throw new UsageError(`--hostname ${finding.says}`)
  }
  const wrong = actions?.find((action) => !isAction(action))
  if (wrong !== undefined) throw new UsageError(`--action wants 1 to 64 of A-Z a-z 0-9 _ - / .; got "${wrong}"`)

  const file = configFile(values.config, io.env)
  const [sitekey, secret] = [newSitekey(), newSecret()]
  const added = {
    sitekey,
    ...(name === undefined ? {} : { name }),
    secrets: [{ sha256: hashSecret(secret) }],
    hostnames,
    ...(actions === undefined ? {} : { actions }),
  }
  const path = resolve(io.cwd, file)
  replaceFile(path, 0o644, () => {
    const text = addSite(existsSync(path) ? readText(path) : EMPTY_FILE, added)
    // Never leave a file behind that the service would refuse.
    checkConfig(text, file, io.env, io.cwd)
    return text
  })
  io.out(`sitekey: ${sitekey}\nsecret:  ${secret}`)
  io.err(`added to ${file}. The secret is not shown again; it belongs on the customer's server, never in a page.`)
  return 0
})
