/**
 * Parses an absolute URL; returns undefined if it is malformed.
 *
 * Replaces `URL.canParse`, which in Node.js 20 is inconsistent: once V8 has optimised its caller, it reads the characters U+0080 to
 * U+00FF as bytes of UTF-8. So `â\x80\x8B`, as Node.js reads a zero-width space in a header, is malformed at first and valid
 * later; `new URL` always throws.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
