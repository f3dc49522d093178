/** The claims of each kind of token: their names, and what they must be. */
import type { Kid } from '../domain/words.ts'
import { compile, type JsonSchema } from '../schema/json-schema.ts'

export const TEXT: JsonSchema = { type: 'string' }
export const ID: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' }
/** Unix seconds up to the end of the year 9999, the last that a date of four digits can name. */
export const MOMENT: JsonSchema = { type: 'integer', minimum: 0, maximum: 253_402_300_799 }

/** A claim in a token: its name, short because a token is, what its value must be, and whether it may be left out. */
type Claim = readonly [name: string, value: JsonSchema, isOptional?: 'optional']

/** What a token says, by the names in it. */
export type Payload = Record<string, unknown>

/** A kind of token, with claims of type T. */
export type Kind<T> = ReturnType<typeof tokenKind<T>>

/**
 * Defines a kind of token by its claims. A token has exactly these, and `iss`: even the owner of our key cannot add others.
 */
export function tokenKind<T>(
  name: 'challenge' | 'ticket' | 'response' | 'pass',
  claims: Readonly<Record<keyof T, Claim>>,
  { additionalProperties = false } = {},
) {
  const list = Object.entries<Claim>(claims) as [keyof T, Claim][]
  const properties = {
    iss: {},
    ...Object.fromEntries(list.map(([, [short, value]]) => [short, value])),
  }
  const required = list.flatMap(([, [short, , isOptional]]) => (isOptional ? [] : short))
  const check = compile(
    { type: 'object', properties, required, additionalProperties },
    { all: false },
  )

  return {
    name,
    /** @param more claims that are no part of the table: the issuer, or the audience. */
    payloadOf(values: T, more: Payload): Payload {
      const named = list.map(([claim, [short]]) => [short, values[claim]] as const)
      return { ...Object.fromEntries(named), ...more }
    },
    /** @returns undefined where a claim is missing, is one too many, or is not what it must be. */
    claimsIn(payload: Payload, kid: Kid): (T & { readonly kid: Kid }) | undefined {
      if (!check(payload).ok) return undefined
      // The schema has checked each of them.
      const values = { kid } as T & { kid: Kid }
      for (const [claim, [short]] of list)
        values[claim] = payload[short] as (typeof values)[keyof T]
      return values
    },
  }
}
