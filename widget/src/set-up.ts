import type { ErrorNumber } from './errors.ts'
import type { Options } from './options.ts'

/** At most 64 of `A-Z a-z 0-9 _ - / .`; none: the site's default. docs/design/contract.md, "POST /api/v1/challenge". */
const ACTION = /^[\w\-/.]{0,64}$/

/** A mistake of the page's maker that shows before the service is asked; undefined: there is none. */
export function setUpFault({ sitekey, action, apiBase }: Options): ErrorNumber | undefined {
  if (!sitekey) return 100
  if (!ACTION.test(action)) return 101
  if (!apiBase) return 106
  // A sandboxed frame without `allow-same-origin`, or a file: a site cannot list it.
  return window.origin === 'null' ? 103 : undefined
}
