import { writeRemoval } from '../config/edit/edit-sites.ts'
import { command } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { settingsToEdit } from './settings.ts'

/** `hv site remove`: the site is unknown from the next reload on. */
export const siteRemove = command(
  {
    name: 'site remove',
    summary: 'removes a site; its tokens and secrets are refused from then on',
    about: `Takes a site out of the configuration, with the comment lines right above it. A running service takes it over within
seconds: its widgets get no challenge, and its secrets are unknown. It cannot be undone: the file has only hashes of
secrets. Everything else of the file stays. The last site is not removed, as nothing loads without one.`,
    operands: ['SITEKEY'],
    options: { ...CONFIG, ...JSON_OUTPUT },
    examples: ['hv site remove hv_site_AbCdEfGhIjKlMnOpQrStUv'],
    consequence: 'nothing was changed',
  },
  async ({ config, json }, io, [sitekey = '']) => {
    const file = writeRemoval(settingsToEdit(config, io), sitekey)
    io.out(json ? JSON.stringify({ removed: sitekey, file }) : `removed ${sitekey} from ${file}`)
    return EXIT.done
  },
)
