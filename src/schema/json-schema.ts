import { Ajv, type ErrorObject, type Options } from 'ajv'
import { type KindOptions, type Reading, readText } from './kinds.ts'
import { didYouMean, type Finding, type Path, unexpected } from './problem.ts'

type Bound =
  'minProperties' | 'minItems' | 'maxItems' | 'minimum' | 'maximum' | 'minLength' | 'maxLength'

/** The part of JSON Schema (draft-07) that we use, and three keywords. */
export interface JsonSchema extends Readonly<Partial<Record<Bound, number>>> {
  readonly $schema?: string
  readonly description?: string
  /** A noun phrase for problems: `at least one hostname`. If omitted, it is made from the rest. */
  readonly expected?: string
  readonly kind?: KindOptions
  /** Names that are often used here by mistake, each with a remedy. */
  readonly never?: Readonly<Record<string, string>>
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly uniqueItems?: boolean
  readonly enum?: readonly (string | number)[]
  readonly const?: string | number | boolean
  readonly pattern?: string
}

/** Maximum number of problems: a hostile file may have a hundred thousand, and formatting each takes time. */
export const MOST_FINDINGS = 100

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly findings: readonly Finding[] }

/**
 * Compiles a check, at start; it takes 10 ms, and the same schema object is compiled once. Defaults are filled into the value itself;
 * nothing is coerced or removed. NaN and infinities are not numbers; inherited members are ignored.
 *
 * @param all reports every problem (configuration) instead of only the first (requests, to save time).
 * @throws {Error} if the schema is wrong, or ambiguous for ajv's strict mode.
 */
export function compile<T>(
  schema: JsonSchema,
  { all }: { readonly all: boolean },
): (value: unknown) => Checked<T> {
  const validate = (all ? EVERY_PROBLEM : FIRST_PROBLEM).compile<T>(schema)
  return (value) =>
    validate(value)
      ? { ok: true, value }
      : { ok: false, findings: validate.errors!.slice(0, MOST_FINDINGS).map(findingOf) }
}

function checkKind(options: KindOptions, text: string, schema?: JsonSchema): boolean {
  const reading = readText(text, options)
  if ('value' in reading) return true
  checkKind.errors = [{ keyword: 'kind', params: { ...reading, schema } }]
  return false
}
checkKind.errors = [] as Partial<ErrorObject>[]

const OPTIONS: Options = {
  strict: true,
  allowUnionTypes: true,
  strictNumbers: true,
  ownProperties: true,
  useDefaults: true,
  validateFormats: false,
  messages: false,
  // Adds the schema to each problem, to format it.
  verbose: true,
  logger: false,
  keywords: [
    { keyword: 'expected', schemaType: 'string' },
    { keyword: 'never', schemaType: 'object' },
    { keyword: 'kind', type: 'string', schemaType: 'object', errors: true, validate: checkKind },
  ],
}
const EVERY_PROBLEM = new Ajv({ ...OPTIONS, allErrors: true })
const FIRST_PROBLEM = new Ajv({ ...OPTIONS, allErrors: false })

function findingOf({ instancePath, keyword, params, parentSchema, data }: ErrorObject): Finding {
  const schema = (parentSchema ?? {}) as JsonSchema
  const path = parsePointer(instancePath)
  switch (keyword) {
    case 'required': {
      const member = String(params['missingProperty'])
      return {
        path: [...path, member],
        says: `is missing: expected ${describe(schema.properties?.[member])}`,
      }
    }
    case 'additionalProperties': {
      const member = String(params['additionalProperty'])
      const names = Object.keys(schema.properties ?? {})
      const meant =
        member === '<<' ? ': nothing is merged, write it out' : didYouMean(member, names)
      const never = new Map(Object.entries(schema.never ?? {}))
      return {
        path: [...path, member],
        says: never.get(member) ?? `is unknown${meant}`,
        atKey: true,
      }
    }
    case 'uniqueItems': {
      // ajv reports the pair in either order; the problem is the later one.
      const [first, second] = [Number(params['i']), Number(params['j'])].sort((a, b) => a - b)
      return { path: [...path, second!], says: `is repeated (the same as item ${first})` }
    }
    case 'maxItems':
      return {
        path,
        says: `expected at most ${schema.maxItems} items, got ${(data as unknown[]).length}`,
      }
    case 'kind': {
      // ajv passes the schema of a custom keyword only to its check.
      const {
        schema: own,
        hint,
        says,
        expected = describe(own),
      } = params as Reading & { readonly schema: JsonSchema }
      return says === undefined ? unexpected(path, expected, data, hint) : { path, says }
    }
    default:
      return unexpected(path, describe(schema), data, slip(path, schema, data))
  }
}

/** Returns the likely slip of a wrong value, if it may be printed. */
function slip(path: Path, schema: JsonSchema, value: unknown): string | undefined {
  if (value === null) return 'left empty'
  if (typeof value === 'number') return numberSlip(String(path.at(-1)), schema, value)
  if (typeof value === 'boolean') return booleanSlip(schema, value)
  return typeof value === 'string' ? textSlip(schema, value) : undefined
}

const takesText = ({ type }: JsonSchema): boolean => [type].flat().includes('string')

/** YAML 1.1 reads `off` as false, and a text such as true needs quotes. */
function booleanSlip(schema: JsonSchema, value: boolean): string | undefined {
  if (schema.const === true && !value) return 'leave it out'
  if (schema.enum) return value ? undefined : '"off", in quotes'
  const isFreeText = takesText(schema) && schema.kind === undefined
  return isFreeText ? 'true or false: put it in quotes' : undefined
}

function textSlip({ type, const: only }: JsonSchema, value: string): string | undefined {
  const expectsNumber = type === 'number' || type === 'integer' || only === 1
  const isNumber = expectsNumber && /^-?[0-9]{1,9}(\.[0-9]{1,9})?$/.test(value)
  const isBoolean = type === 'boolean' && /^(true|false)$/.test(value)
  if (isNumber || isBoolean) return 'this is text: remove the quotes'
  return type === 'array' ? 'a list: [one, two]' : undefined
}

/** Returns what was probably meant by a number. It suggests nothing that would be refused. */
function numberSlip(name: string, schema: JsonSchema, value: number): string | undefined {
  const { kind } = schema
  // A percentage, as other services write a threshold.
  if (name.endsWith('_threshold') && Number.isInteger(value) && value > 1 && value <= 100)
    return `did you mean ${value / 100}?`
  const meant = kind && MEANT[kind.is]
  if (!meant) return takesText(schema) ? 'a number: put it in quotes' : undefined
  const { text, hint } = meant(value)
  return 'value' in readText(text, kind) ? hint : undefined
}

/** What a number stands for, where a text of this kind is expected. */
const MEANT: Partial<
  Record<KindOptions['is'], (value: number) => { readonly text: string; readonly hint: string }>
> = {
  'host:port': (value) => ({ text: `127.0.0.1:${value}`, hint: `127.0.0.1:${value}?` }),
  duration: (value) => ({ text: `${value}s`, hint: `which unit? ${value}s` }),
  rate: (value) => ({ text: `${value} per 1m`, hint: `${value} per 1m?` }),
}

/** Returns what a schema expects, as a noun phrase: `a number from 0 to 1`, `one of error, warn`. */
export function describe(schema: JsonSchema = {}): string {
  const { expected, const: only, enum: choices } = schema
  if (expected !== undefined) return expected
  if (only !== undefined) return String(only)
  return choices === undefined ? describeType(schema) : `one of ${choices.join(', ')}`
}

function describeType({ type, items, minItems = 0, properties = {}, ...rest }: JsonSchema): string {
  if (type === 'array')
    return `a list${minItems > 0 ? ' that is not empty' : ''}, each item ${describe(items)}`
  if (type === 'object') return `a group of settings: ${Object.keys(properties).join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'string') return 'text'
  const range = rest.minimum === undefined ? '' : ` from ${rest.minimum} to ${rest.maximum}`
  return `${type === 'integer' ? 'a whole number' : 'a number'}${range}`
}

/** Parses a JSON Pointer (RFC 6901); digits are an index. */
const parsePointer = (pointer: string): Path =>
  pointer
    .split('/')
    .slice(1)
    .map((step) =>
      /^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~'),
    )
