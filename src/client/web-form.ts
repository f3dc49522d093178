import { fieldOf } from './gate.ts'

/** What is needed of a web request, or of what a framework wraps around one. */
export interface WebBody {
  formData(): Promise<FormData>
  json(): Promise<unknown>
}

/**
 * The field of a submitted form, or of a JSON object.
 *
 * @param contentType The header; what is neither a form nor JSON carries no token.
 * @returns undefined where the field is absent, given twice, or the body cannot be read.
 */
export async function webField(body: WebBody, contentType: string | null | undefined, field: string): Promise<unknown> {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  try {
    switch (type) {
      case 'application/x-www-form-urlencoded':
      case 'multipart/form-data': {
        const [first, ...more] = (await body.formData()).getAll(field)
        return more.length === 0 ? first : undefined
      }
      case 'application/json':
        return fieldOf(await body.json(), field)
      default:
        return undefined
    }
  } catch {
    return undefined
  }
}

/** The whole form, a field that was given twice as a list. @returns undefined where there is none. */
export async function webFields(body: Pick<WebBody, 'formData'>): Promise<unknown> {
  try {
    const fields: Record<string, unknown[]> = Object.create(null)
    for (const [name, value] of await body.formData()) (fields[name] ??= []).push(value)
    return fields
  } catch {
    return undefined
  }
}
