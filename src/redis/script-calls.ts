import { createHash } from 'node:crypto'
import { Cluster, type Redis } from 'ioredis'
import { isReply, isTimeOut, messageOf, scriptError } from './errors.ts'

/**
 * Calls of a script that leave at once. With all 64 of a turn together, Redis waited for us and then we for Redis: 8,100 requests a
 * second, and 9,500 so (bench/siteverify.mjs).
 */
const MOST_GATHERED = 16

/** Calls of one script, that leave as one command. */
interface Batch {
  readonly lua: string
  readonly calls: Call[]
}

interface Call {
  readonly keys: readonly string[]
  readonly args: readonly string[]
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Hears how commands went. */
export interface CommandWatch {
  /** The server answered a command, if only with an error. */
  onAnswer(): void
  /** A command failed without an answer. `sentAt`: milliseconds of the same clock that never jumps. */
  onSilence(error: unknown, sentAt: number): void
}

/** Runs a Lua script with keys and arguments. In a Cluster all keys must lie in one slot. */
export type CallScript = (lua: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>

/**
 * Gathers the calls of each script until the end of this turn of the event loop, and runs them by one command: one
 * write, one read, one reply for sixteen requests. Redis runs them one after the other, as if each had come by itself, and
 * an error is of that call alone.
 *
 * With a command and a write for each of 64 requests in flight, these cost 34 µs of our CPU and as much of Redis' once
 * more. Few writes for many commands: 0.63 of the reference; one command for many calls: 0.57 (bench/siteverify.mjs;
 * ioredis' own autopipelining takes 25 µs to save what few writes save). Nobody waits for longer than it takes to read what has already arrived.
 *
 * @param client the one of the moment.
 * @param elapsed milliseconds of a clock that never jumps.
 */
export function scriptCalls(client: () => Redis | Cluster, watch: CommandWatch, elapsed: () => number): CallScript {
  let open = new Map<string, Batch>()
  let isTurnWatched = false

  /** All scripts' calls, by one write. */
  function letGo(): void {
    const batches = open
    open = new Map()
    const { stream } = client() as { stream?: Redis['stream'] }
    stream?.cork()
    for (const batch of batches.values()) void send(client(), batch, watch, elapsed())
    stream?.uncork()
  }

  function endTurn(): void {
    isTurnWatched = false
    letGo()
  }

  return (lua, keys, args) =>
    new Promise((resolve, reject) => {
      if (!isTurnWatched) setImmediate(endTurn)
      isTurnWatched = true
      const which = client() instanceof Cluster ? `${tagOf(keys)} ${lua}` : lua
      let batch = open.get(which)
      if (batch === undefined) open.set(which, (batch = { lua, calls: [] }))
      if (batch.calls.push({ keys, args, resolve, reject }) === MOST_GATHERED) letGo()
    })
}

async function send(client: Redis | Cluster, batch: Batch, watch: CommandWatch, sentAt: number): Promise<void> {
  const { calls } = batch
  try {
    const answers = await run(client, batch)
    watch.onAnswer()
    for (let i = 0; i < calls.length; i++) {
      const answer = answers[2 * i + 1]
      if (answers[2 * i] === 1) calls[i]!.resolve(answer)
      else calls[i]!.reject(scriptError(String(answer)))
    }
  } catch (error) {
    if (isReply(error)) watch.onAnswer()
    else {
      // A process that was held up finds the time over before it reads the answers that came meanwhile.
      // Nothing else may wait: the connection could become ready meanwhile, and nobody would hear of it again.
      if (isTimeOut(error)) await new Promise(setImmediate)
      watch.onSilence(error, sentAt)
    }
    for (const { reject } of calls) reject(error)
  }
}

/** By its hash; when the server does not know it (a new one, or SCRIPT FLUSH), by its text, which always works. */
async function run(client: Redis | Cluster, { lua, calls }: Batch): Promise<readonly unknown[]> {
  const { text, sha } = manyOf(lua)
  const keys: string[] = []
  for (const call of calls) keys.push(...call.keys)
  // Of each call in one text: the client spends 0.3 µs on an argument, and there would be 160.
  const args = [calls.map((call) => call.keys.length).join(' '), ...calls.map((call) => JSON.stringify(call.args))]
  try {
    return (await client.evalsha(sha, keys.length, ...keys, ...args)) as unknown[]
  } catch (error) {
    if (!messageOf(error).startsWith('NOSCRIPT')) throw error
    return (await client.eval(text, keys.length, ...keys, ...args)) as unknown[]
  }
}

interface Script {
  readonly text: string
  readonly sha: string
}

const scripts = new Map<string, Script>()

/** The script that runs a script many times. */
function manyOf(lua: string): Script {
  let script = scripts.get(lua)
  if (script === undefined) {
    const text = MANY.replace('SCRIPT', () => lua)
    scripts.set(lua, (script = { text, sha: createHash('sha1').update(text).digest('hex') }))
  }
  return script
}

/**
 * KEYS: those of all calls, one after the other.
 * ARGV: how many keys each call has, in one text; then of each call its arguments, as JSON.
 *
 * @returns of each call 1 and its answer, or 0 and its error; in one flat list, which is read in half the time.
 */
const MANY = `
-- For the calls of this command to share: it runs at one moment on one server.
local once = {}
local function script(KEYS, ARGV)
SCRIPT
end
local function run(keys, args)
  return script(keys, cjson.decode(args))
end
local answers, call, key = {}, 0, 0
for count in string.gmatch(ARGV[1], '%d+') do
  call = call + 1
  local keys = {}
  for i = 1, tonumber(count) do keys[i] = KEYS[key + i] end
  key = key + #keys
  local fine, answer = pcall(run, keys, ARGV[call + 1])
  -- Redis 7 throws a table, earlier ones a text; a script may also return what pcall gave it.
  if type(answer) == 'table' and answer.err then fine, answer = false, answer.err end
  answers[2 * call - 1] = fine and 1 or 0
  -- A list would end at nothing.
  answers[2 * call] = answer or false
end
return answers
`

/** What decides on the slot. */
const tagOf = ([key = '']: readonly string[]): string => /\{([^}]+)\}/.exec(key)?.[1] ?? key
