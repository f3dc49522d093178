import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { nearest } from './nearest.ts'
import { type JsonSchema, describe } from './words.ts'

export type { JsonSchema } from './words.ts'

/** Where a value is, from the top: `['sites', 2, 'score_threshold']`. */
export type Path = readonly (string | number)[]

/** One thing about a value that its schema does not allow. Never quotes the value, only names of members. */
export interface SchemaProblem {
  /** The value. For `required` and `additionalProperties`: the member that is missing or unknown. */
  readonly path: Path
  /** The schema's keyword that refused: `type`, `required`, `additionalProperties`, `pattern`, … */
  readonly keyword: string
  /** `wants a number from 0 to 1` */
  readonly says: string
}

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly SchemaProblem[] }

export interface CompileOptions {
  /** true: every problem (configuration); false: the first (requests, where looking on only costs time). */
  readonly all: boolean
}

/** For how many problems of one value a `did you mean` is looked for: a hostile file has thousands of unknown names. */
const GUESSES = 100

/** Compiled validators, by schema: those that look for every problem, and those that stop at the first. */
const validators = {
  all: new WeakMap<JsonSchema, ValidateFunction>(),
  first: new WeakMap<JsonSchema, ValidateFunction>(),
}

/**
 * Prepares a check, at start. A schema is compiled once in a process, which takes 10 ms, so it must never change.
 *
 * A JSON Schema of draft-07, with one keyword of ours: `wants`, the noun phrase a problem names.
 * Nothing is coerced, filled in or removed: the value that passes is the value that came. NaN and the infinities
 * are not numbers; members of the prototype are not members.
 *
 * @throws {Error} when the schema itself is wrong, or says something that ajv's strict mode finds ambiguous.
 */
export function compile<T>(schema: JsonSchema, { all }: CompileOptions): (value: unknown) => Checked<T> {
  const validate = validatorOf(schema, all) as ValidateFunction<T>
  return (value) => {
    if (validate(value)) return { ok: true, value }
    return {
      ok: false,
      problems: distinct((validate.errors ?? []).map((error, index) => problem(value, error, index < GUESSES))),
    }
  }
}

function validatorOf(schema: JsonSchema, all: boolean): ValidateFunction {
  const bySchema = validators[all ? 'all' : 'first']
  const earlier = bySchema.get(schema)
  if (earlier) return earlier
  const ajv = new Ajv({
    allErrors: all,
    strict: true,
    strictNumbers: true,
    ownProperties: true,
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    validateFormats: false,
    addUsedSchema: false,
    messages: false,
    // Gives each problem the schema it comes from: the words are made of it.
    verbose: true,
    logger: false,
    keywords: [{ keyword: 'wants', schemaType: 'string' }],
    // Shorter code takes a third of the compilation: worth it for each request, not for a file that is read once.
    code: { optimize: !all },
  })
  const validate = ajv.compile(schema)
  bySchema.set(schema, validate)
  return validate
}

function problem(
  value: unknown,
  { instancePath, keyword, params, parentSchema }: ErrorObject,
  guess: boolean,
): SchemaProblem {
  const schema = (parentSchema ?? {}) as JsonSchema
  const path = parsePointer(instancePath, value)
  switch (keyword) {
    case 'required': {
      const member = String(params['missingProperty'])
      return { path: [...path, member], keyword, says: `is missing: wants ${describe(schema.properties?.[member])}` }
    }
    case 'additionalProperties': {
      const member = String(params['additionalProperty'])
      const near = guess ? nearest(member, Object.keys(schema.properties ?? {})) : undefined
      return {
        path: [...path, member],
        keyword,
        says: `is unknown${near === undefined ? '' : ` (did you mean ${near}?)`}`,
      }
    }
    case 'uniqueItems': {
      // ajv names the pair from the end of the list; the reader looks at the later one.
      const [first, second] = [Number(params['i']), Number(params['j'])].sort((a, b) => a - b)
      return { path: [...path, second!], keyword, says: `is there twice (the same as item ${first})` }
    }
    default:
      return { path, keyword, says: `wants ${describe(schema)}` }
  }
}

/** RFC 6901; a step is a number where the value has a list. */
function parsePointer(pointer: string, value: unknown): Path {
  let at: unknown = value
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(at) ? Number(name) : name
      at = (at as Record<string | number, unknown> | null | undefined)?.[step]
      return step
    })
}

/** Two keywords can refuse one value with the same words (`minLength` and `pattern`): said once. */
function distinct(problems: readonly SchemaProblem[]): readonly SchemaProblem[] {
  const byKey = new Map<string, SchemaProblem>()
  for (const each of problems) {
    const key = JSON.stringify([each.path, each.says])
    if (!byKey.has(key)) byKey.set(key, each)
  }
  return [...byKey.values()]
}
