/** Writes the schemas of the configuration, for editors: a part of the build. */
import { writeFileSync } from 'node:fs'
import { register } from 'node:module'

register('./typescript.mjs', import.meta.url)
const { schemas } = await import('./settings-pages.ts')
for (const [file, schema] of Object.entries(schemas()))
  writeFileSync(
    new URL(`../../config/${file}`, import.meta.url),
    `${JSON.stringify(schema, undefined, 2)}\n`,
  )
