import { command, UsageError } from '../cli/command.ts'
import { TRY } from '../cli/programs.ts'
import { trySite } from '../demo/try-site.ts'
import { sitePage } from './site-page.ts'

/** `hv try`: a page for a site of the operator's own. */
export const tryCommand = command(TRY, ({ action, service, listen: address, json }, io, [sitekey = '']) => {
  if (!/^hv_site_[\w-]+$/.test(sitekey)) throw new UsageError('wants a sitekey: hv_site_ and what follows')
  if (!/^https?:\/\/[^/\s]+$/.test(service)) throw new UsageError('--service wants an address without a path')
  return sitePage(
    trySite({ serviceUrl: service, sitekey, action }),
    { address, out: io.out },
    (url) =>
      json
        ? JSON.stringify({ url })
        : `open ${url} and press the button; ${url}/token has the latest token. Ctrl-C ends it`,
    '--listen 127.0.0.1:8181',
  )
})
