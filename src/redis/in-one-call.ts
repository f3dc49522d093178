/**
 * Joins two scripts of one partition into one: what would be two round trips is one, and nothing happens in between.
 *
 * KEYS: those of the first, then those of the second. ARGV: how many keys and how many arguments the first has; its
 * arguments; those of the second.
 *
 * @param between Lua after the first script, which sees its `answer` and, as `more`, the arguments of the second. It may change
 *   them, or return, and then the second does not run.
 * @returns a script that answers with both answers as a list; the second is `false` where it failed.
 */
export const inOneCall = (first: string, second: string, between: string): string => `
local function first(KEYS, ARGV)
${first}
end
local function second(KEYS, ARGV)
${second}
end
local keys, args = tonumber(ARGV[1]), tonumber(ARGV[2])
local answer = first({unpack(KEYS, 1, keys)}, {unpack(ARGV, 3, args + 2)})
local more = {unpack(ARGV, args + 3)}
${between}
local fine, other = pcall(second, {unpack(KEYS, keys + 1)}, more)
return {answer, fine and other}
`

/** Keys and arguments of a script. */
interface Words {
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

/** The keys and arguments of both, as a script of `inOneCall` reads them. */
export const ofBoth = (first: Words, second: Words): Words => ({
  keys: [...first.keys, ...second.keys],
  args: [String(first.keys.length), String(first.args.length), ...first.args, ...second.args],
})
