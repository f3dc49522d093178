import { isIPv6 } from 'node:net'

/** What was used in a run and must not be found in anything that was written during it. docs/design/threats.md, "Promises". */
export interface Confidential {
  readonly secrets?: readonly string[]
  /** Challenge and response tokens; a part of one is as bad as the whole. */
  readonly tokens?: readonly string[]
  /** The keyring's keys in base64url, passwords of Redis. */
  readonly keys?: readonly string[]
  /** Full addresses of visitors; networks (`203.0.113.0/24`) may be written. */
  readonly addresses?: readonly string[]
}

/**
 * Searches a text for everything confidential, in every spelling that a careless line would use: as it is, in base64, in
 * hexadecimal, URL-encoded, as JSON escapes it, and by any twelve characters of each.
 *
 * @returns what was found, with where; never the confidential text itself, so that a failing test does not print it.
 */
export function leaks(
  written: string,
  { secrets = [], tokens = [], keys = [], addresses = [] }: Confidential,
): string[] {
  const found = findPieces(written, piecesWanted(secrets, keys, tokens))
  for (const [i, address] of addresses.entries()) {
    const match = wholeAddress(address).exec(written)
    if (match) found.set(`address ${i}`, match.index)
  }
  return [...found].map(
    ([what, at]) => `${what} at ${at}, line ${written.slice(0, at).split('\n').length}`,
  )
}

/** Returns what each piece of a text is a part of. */
function piecesWanted(
  secrets: readonly string[],
  keys: readonly string[],
  tokens: readonly string[],
): Map<string, string> {
  const wanted = new Map<string, string>()
  const want = (what: string, spellings: readonly string[]): void => {
    for (const piece of spellings.flatMap(piecesOf)) wanted.set(piece, what)
  }
  for (const [i, secret] of secrets.entries()) want(`secret ${i}`, spellingsOf(secret))
  for (const [i, key] of keys.entries())
    want(`key ${i}`, [...spellingsOf(key), Buffer.from(key, 'base64url').toString('hex')])
  for (const [i, token] of tokens.entries()) want(`token ${i}`, token.split('.').slice(1))
  return wanted
}

/** Finds the first piece of each: one pass over the text, since ten minutes of fuzzing write a long log and use many tokens. */
function findPieces(written: string, wanted: ReadonlyMap<string, string>): Map<string, number> {
  const found = new Map<string, number>()
  for (let at = 0; at <= written.length - PIECE; at++) {
    const what = wanted.get(written.slice(at, at + PIECE))
    if (what !== undefined && !found.has(what)) found.set(what, at)
  }
  return found
}

function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  return [
    text,
    bytes.toString('base64'),
    bytes.toString('hex'),
    encodeURIComponent(text),
    JSON.stringify(text),
  ]
}

/** Twelve characters are 72 bits of a random text: nothing else is equal to them by chance. */
const PIECE = 12

/** Pieces of twelve characters: a text with 24 characters of it contains one of these. */
const piecesOf = (text: string): string[] =>
  Array.from({ length: Math.floor(text.length / PIECE) }, (_, i) =>
    text.slice(i * PIECE, (i + 1) * PIECE),
  )

/** As a whole: `203.0.113.7` is not in `203.0.113.70` or `1203.0.113.7`; and not as the network that a log may name. */
function wholeAddress(address: string): RegExp {
  const text = address.replaceAll('.', '\\.')
  const [before, after] = isIPv6(address)
    ? ['[0-9a-fA-F:]', '[0-9a-fA-F:/]']
    : ['[0-9.]', '[0-9/]|\\.[0-9]']
  return new RegExp(`(?<!${before})${text}(?!${after})`, 'i')
}
