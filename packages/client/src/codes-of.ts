/** The codes in an answer, if it has any: texts only, whatever else it holds. */
export function codesOf(body: unknown): string[] {
  const codes = body !== null && typeof body === 'object' ? (body as Record<string, unknown>)['error-codes'] : undefined
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : []
}
