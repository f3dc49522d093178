/** What is made of the table of settings: the schemas for editors, and the reference in config/README.md. */
import { type JsonSchema, describe } from '../../src/schema/json-schema.ts'
import { CONFIG, SITE } from '../../src/settings/table.ts'
import { stringify } from 'yaml'
import { table } from './table.ts'

const DRAFT = { $schema: 'http://json-schema.org/draft-07/schema#' }

const SITE_SCHEMA = SITE as unknown as JsonSchema
const SCORE = SITE_SCHEMA.properties!['score']!
/** Shapes that stand in several places, by their names in `definitions`. */
const SHAPES = {
  site: SITE_SCHEMA,
  score: SCORE,
  bound: SCORE.properties!['bounds']!.properties!['work']!,
}
const SHAPE_NAMES = new Map(
  Object.entries(SHAPES).map(([name, shape]) => [JSON.stringify(shape), name]),
)

/** By file in `config/`: the schema of a configuration in one file or of a folder's `config.yaml`, and of a file in `sites`. */
export const schemas = (): Readonly<Record<string, object>> => ({
  'schema.json': {
    ...DRAFT,
    title: 'human-verification configuration',
    ...forEditors(CONFIG as unknown as JsonSchema),
    // Of a folder's config.yaml the sites stand elsewhere, so editors do not ask for them; hv check does.
    required: ['version'],
    definitions: Object.fromEntries(
      Object.entries(SHAPES).map(([name, shape]) => [name, forEditors(shape)]),
    ),
  },
  'site.schema.json': {
    ...DRAFT,
    title: 'human-verification site',
    allOf: [{ $ref: 'schema.json#/definitions/site' }],
  },
})

const orReference = (schema: JsonSchema): object => {
  const name = SHAPE_NAMES.get(JSON.stringify(schema))
  return name === undefined ? forEditors(schema) : { $ref: `#/definitions/${name}` }
}

/** Range and unit go where editors show them, our keywords go away, and what has a default is not required. */
function forEditors(schema: JsonSchema): object {
  const {
    expected: _ours,
    kind: _own,
    never: _hints,
    description,
    properties,
    items,
    required,
    ...rest
  } = schema
  const expects =
    rest.const === undefined && properties === undefined
      ? `Expected: ${describe(schema)}.`
      : undefined
  const needed = required?.filter((name) => properties?.[name]?.default === undefined)
  return {
    description: [description, expects].filter(Boolean).join(' ') || undefined,
    ...rest,
    uniqueItems: rest.uniqueItems || undefined,
    ...(needed !== undefined && needed.length > 0 && { required: needed }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, orReference(inner)]),
      ),
    }),
    ...(items && { items: orReference(items) }),
  }
}

/** The rows of config/README.md. */
export const settingsTable = (): string =>
  table(
    ['Setting', 'Expected', 'Default', 'Meaning'],
    rows(CONFIG as unknown as JsonSchema, ''),
  ).replaceAll(/docs\/[\w-]+\/([\w-]+\.md)/g, '[$1](../$&)')

function rows({ properties = {}, required = [] }: JsonSchema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const path = `${prefix}${name}`
    const inner = setting.items?.properties ? setting.items : setting
    const isGroup = inner.properties !== undefined && inner === setting
    const missing = required.includes(name) ? 'required' : '–'
    const preset = setting.default === undefined ? missing : code(setting.default)
    const row = [
      `\`${path}\``,
      isGroup ? 'a group' : describe(setting),
      isGroup ? '–' : preset,
      setting.description ?? '',
    ]
    // A site's are those of the whole.
    if (path === 'sites[].score') return [row]
    return [
      row,
      ...(inner.properties ? rows(inner, inner === setting ? `${path}.` : `${path}[].`) : []),
    ]
  })
}

const code = (value: unknown): string =>
  `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** `config/config.example.yaml`: every setting, with its comment; what is optional and has no default is commented out. */
export const sampleConfig = (): string =>
  [
    '# yaml-language-server: $schema=./schema.json',
    '# Every setting, with its default or an example; `npm run docs` writes this file. Start from config/demo.yaml.',
    ...sample(CONFIG as unknown as JsonSchema, ''),
    '',
  ].join('\n')

function sample({ properties = {}, required = [] }: JsonSchema, indent: string): string[] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const lines = [
      ...(indent === '' ? [''] : []),
      ...wrapped(setting.description ?? '', indent),
      ...entry(name, setting, indent),
    ]
    const isShown =
      required.includes(name) && !(Array.isArray(setting.default) && setting.items?.properties)
    return isShown
      ? lines
      : lines.map((line) =>
          line === '' || line.startsWith(`${indent}#`) ? line : line.replace(indent, `${indent}# `),
        )
  })
}

function entry(name: string, setting: JsonSchema, indent: string): string[] {
  if (setting.properties) return [`${indent}${name}:`, ...sample(setting, `${indent}  `)]
  if (setting.items?.properties) {
    const [first = '', ...rest] = sample(setting.items, `${indent}    `)
    return [`${indent}${name}:`, `${indent}  - ${first.trim()}`, ...rest]
  }
  const value = (setting.const ??
    setting.examples?.[0] ??
    setting.default ??
    setting.enum?.[0] ??
    '') as unknown
  return [`${indent}${name}: ${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`]
}

/** A comment of at most 120 columns. */
const wrapped = (text: string, indent: string): string[] =>
  (text.match(new RegExp(`\\S.{0,${116 - indent.length}}(?= |$)`, 'g')) ?? []).map(
    (line) => `${indent}# ${line}`,
  )
