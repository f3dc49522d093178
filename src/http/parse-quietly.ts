import { Fault } from '../domain/codes.ts'

/**
 * Parses a text without keeping the error, not even as a cause: it may quote the text.
 *
 * @throws {Fault} `bad-request`
 */
export function parseQuietly<T>(text: string, parse: (text: string) => T): T {
  try {
    return parse(text)
  } catch {
    throw Fault.of('bad-request')
  }
}
