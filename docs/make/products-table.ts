import { PRODUCTS } from '../../test/products/table.ts'
import { type Parts, table } from './table.ts'

/** The table of products in docs/start/products.md: the rows that `npm run products` runs. */
export function productsParts(): Parts {
  const rows = PRODUCTS.map(({ name, version, registry, path, types, keys, ran }) => [
    `\`${name}\` ${version} (${registry})`,
    types.map((line) => `\`${line.replaceAll(/\bVERIFY\b/g, 'verify.example.com')}\``).join('<br>'),
    keys.map((key) => `\`${key}\``).join('<br>'),
    `\`npm run products -- -t ${path}\``,
    ran,
  ])
  return { products: table(['Product', 'Type', 'Sitekey, secret', 'Runs it', 'Run last'], rows) }
}
