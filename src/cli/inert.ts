const unicodeEscape = (char: string): string => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`

/** Everything that moves a cursor, turns the direction of text or hides: Cc and Cf of Unicode, and its two line ends. */
const ACTIVE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu
/** The same without the line end and the tab, and the colours of `coloured` and of the log apart. */
const ESCAPE = String.fromCharCode(27)
const ACTIVE_OR_COLOUR = new RegExp(
  String.raw`${ESCAPE}\[(?:0|1|31|32|33|90)m|(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]`,
  'gu',
)

/** Makes a text from outside harmless, on one line: `\u001b` is printed as its six characters. */
export const inertLine = (text: string): string => text.replaceAll(ACTIVE, unicodeEscape)

/**
 * Makes whole lines harmless for a terminal, whoever chose their words. Line ends, tabs and this program's own colours
 * stay. JSON stays the same JSON, because `\u` is its escape too.
 */
export const inert = (text: string): string =>
  text.replaceAll(ACTIVE_OR_COLOUR, (match) => (match.length > 2 ? match : unicodeEscape(match)))
