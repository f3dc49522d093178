import { command, UsageError } from './command.ts'
import type { Run } from './io.ts'
import { siteAdd } from './site-add.ts'
import { siteList } from './site-list.ts'
import { siteRotate } from './site-rotate.ts'

const usage = `hv site add --hostname H… [--action A…] [--name N] [--config FILE]
hv site rotate SITEKEY [--overlap 2h] [--config FILE]
hv site list [--config FILE]

  hv site add --hostname shop.example.com --hostname '*.shop.example.com' --action sign-up --name 'Example shop'
  hv site rotate hv_site_AbCdEfGhIjKlMnOpQrStUv --overlap 7d

More with: hv site add --help`

const SUBCOMMANDS: Readonly<Record<string, Run>> = { add: siteAdd, rotate: siteRotate, list: siteList }

/** `hv site …`: hands on to the command named second. */
export const site: Run = async (args, io) => {
  const [name, ...rest] = args
  const subcommand = name !== undefined && Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined
  if (subcommand) return await subcommand(rest, io)
  return await command({ usage }, async () => {
    throw new UsageError(name === undefined ? 'hv site wants add, rotate or list' : `hv site has no command "${name}"`)
  })(args, io)
}
