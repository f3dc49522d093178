/** The methods of a web request, or of a framework's wrapper around one, that are used. */
export interface WebBody {
  formData(): Promise<FormData>
  json(): Promise<unknown>
}

/**
 * The fields of a submitted form, one that was given twice as a list; or a JSON object.
 *
 * @param contentType The header; what is neither a form nor JSON carries no token.
 * @returns undefined where there are none, or the body cannot be read.
 */
export async function webFields(
  body: WebBody,
  contentType: string | null | undefined,
): Promise<unknown> {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase()
  try {
    switch (type) {
      case 'application/x-www-form-urlencoded':
      case 'multipart/form-data':
        return fieldsOf(await body.formData())
      case 'application/json':
        return await body.json()
      default:
        return undefined
    }
  } catch {
    return undefined
  }
}

function fieldsOf(form: FormData): unknown {
  const fields: Record<string, unknown> = Object.create(null)
  for (const name of form.keys()) {
    const [first, ...more] = form.getAll(name)
    fields[name] = more.length === 0 ? first : [first, ...more]
  }
  return fields
}
