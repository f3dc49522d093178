/** The page of a visitor without a clearance: nothing inline, nothing from elsewhere but the service's widget. */
import { readFileSync } from 'node:fs'

const read = (name: string): string => readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8')
const PAGE = read('page.html')

/** What is served below `/.hv/`. */
export const ASSETS: ReadonlyMap<string, readonly [type: string, body: string]> = new Map([
  ['gate.js', ['text/javascript; charset=utf-8', read('gate.js')]],
  ['gate.css', ['text/css; charset=utf-8', read('gate.css')]],
])

/** `worker-src blob:` is where the widget computes fastest; without it, it computes in the page. */
export const policyOf = (service: string): string =>
  `default-src 'none'; script-src 'self' ${service}; style-src 'self'; connect-src 'self' ${service}; worker-src blob:; ` +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** @param values of the names in braces; each is escaped. */
export const pageOf = (values: Readonly<Record<string, string>>): string =>
  PAGE.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    values[name]!.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`),
  )
