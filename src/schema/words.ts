/** The part of JSON Schema (draft-07) that we use, and `wants`. */
export interface JsonSchema {
  readonly $schema?: string
  readonly $id?: string
  readonly title?: string
  readonly description?: string
  /** What a problem asks for, a noun phrase: `at least one hostname`. Ours; left out: made from the rest. */
  readonly wants?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly enum?: readonly (string | number)[]
  readonly const?: string | number | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** What a schema wants, as a noun phrase: `a number from 0 to 1`, `one of error, warn`. */
export function describe(schema: JsonSchema | undefined): string {
  if (schema === undefined) return 'a value'
  if (schema.wants !== undefined) return schema.wants
  if (schema.const !== undefined) return String(schema.const)
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  switch (schema.type) {
    case 'number':
      return `a number${range(schema.minimum, schema.maximum)}`
    case 'integer':
      return `a whole number${range(schema.minimum, schema.maximum)}`
    case 'string':
      return `text${sizeRange(schema.minLength, schema.maxLength, 'character')}`
    case 'array':
      return `a list${sizeRange(schema.minItems, schema.maxItems, 'item')}`
    case 'object':
      return 'a group of settings'
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'nothing'
    case undefined:
    default:
      return 'a value'
  }
}

function range(from: number | undefined, to: number | undefined): string {
  if (from !== undefined && to !== undefined) return ` from ${from} to ${to}`
  if (from !== undefined) return ` of at least ${from}`
  return to === undefined ? '' : ` of at most ${to}`
}

function sizeRange(from: number | undefined, to: number | undefined, unit: string): string {
  if (from === undefined && to === undefined) return ''
  if (to === undefined) return ` of at least ${from} ${unit}${from === 1 ? '' : 's'}`
  return from === undefined ? ` of at most ${to} ${unit}s` : ` of ${from} to ${to} ${unit}s`
}
