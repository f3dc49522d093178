/** The schemas for editors: those that check, with all that they say in the words that an editor shows. */
import { describe, type JsonSchema } from '../../src/schema/words.ts'
import { member } from '../../src/config/checks/unknown-values.ts'
import { CONFIG_SCHEMA } from '../../src/config/schema/schema.ts'
import { SITE_SCHEMA } from '../../src/config/schema/site.ts'

/**
 * `config/schema.json`: of a configuration in one file, or of a folder's `config.yaml`.
 *
 * @param sample the settings of config/config.example.yaml, which become the examples: they are known to be right.
 */
export function publishedSchema(sample: unknown): string {
  // Of a folder's config.yaml the sites stand elsewhere, so editors do not ask for them; hv check does.
  return text({ ...explained(CONFIG_SCHEMA, sample), required: ['version'] })
}

/** `config/site.schema.json`: of a file in the folder `sites`. */
export function publishedSiteSchema(sample: unknown): string {
  const [site] = member(sample, 'sites') as unknown[]
  return text({
    $schema: CONFIG_SCHEMA.$schema!,
    title: 'human-verification site',
    ...explained(SITE_SCHEMA, site),
  })
}

const text = (schema: JsonSchema): string => `${JSON.stringify(schema, undefined, 2)}\n`

/** Range and unit go where editors show them, and the keyword that is ours goes away. */
function explained(schema: JsonSchema, sample: unknown): JsonSchema {
  const { wants: _ours, description, properties, items, ...rest } = schema
  const wish = rest.const === undefined && properties === undefined ? describe(schema) : undefined
  const says = [description, wish === undefined ? undefined : `Wants ${wish}.`].filter(Boolean).join(' ')
  return {
    ...(says === '' ? {} : { description: says }),
    ...rest,
    ...examples(schema, sample),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, explained(inner, member(sample, name))]),
      ),
    }),
    ...(items && { items: explained(items, Array.isArray(sample) ? sample[0] : undefined) }),
  }
}

/** Of what is written as one value, or as a short list. */
function examples({ examples: own, properties, items, const: only }: JsonSchema, sample: unknown): JsonSchema {
  if (own !== undefined) return { examples: own }
  const whole = properties === undefined && items?.properties === undefined && only === undefined
  return whole && sample !== undefined ? { examples: [sample] } : {}
}
