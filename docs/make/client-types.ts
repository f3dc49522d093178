/** `packages/client/src/wire.ts`: the types of siteverify for the customers' library, from the table of the wire. */
import { OPERATIONS } from '../../src/wire.ts'
import type { Schema } from './openapi.ts'

const { request, answer } = OPERATIONS.siteverify
const shapes = (answer as Schema).anyOf!
const rejections = shapes.flatMap(({ properties }) => codesIn(properties!['error-codes']!))

export const clientTypes = (): string => `/** Written by \`npm run docs\` from the table of the wire, src/wire.ts. */

/** What siteverify is asked. */
export interface SiteverifyRequest {
${members([request])}
}

/** Every member of an answer with status 200. */
export interface SiteverifyAnswer {
${members(shapes)}
}

/** Why a visitor was refused. */
export type Rejection =
${rejections.map((code) => `  | '${code}'`).join('\n')}
`

/** The members of one of some shapes; one that not every shape has may be missing. */
function members(of: readonly Schema[]): string {
  const all = Object.assign({}, ...of.map(({ properties }) => properties)) as Readonly<Record<string, Schema>>
  const lines = Object.entries(all).map(([name, { description, type }]) => {
    const isSure = of.every(({ required }) => required?.includes(name))
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    const about = description === undefined ? '' : `  /** ${description} */\n`
    const plain = type === 'integer' ? 'number' : type === 'array' ? 'readonly string[]' : String(type)
    const text = name === 'error-codes' ? 'readonly Rejection[]' : plain
    return `${about}  readonly ${key}${isSure ? '' : '?'}: ${text}`
  })
  return lines.join('\n')
}

function codesIn({ items }: Schema): readonly string[] {
  return ((items as { enum?: readonly string[] } | undefined)?.enum ?? []).toSorted()
}
