import { folder } from '../../stand/folder.mjs'
import { start } from '../../stand/processes.mjs'

/**
 * A server of the Model Context Protocol on standard input and output, as an agent's program starts one; the agent is ours. What it
 * returns calls a tool, and gives the text that the model would read.
 *
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */
export async function mcpTools({ display, defer }, program, args) {
  const own = folder('hv-mcp')
  const server = start(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: own.path,
    env: { ...process.env, HOME: own.path, DISPLAY: display.name },
  })
  defer(async () => {
    await server.stop()
    own.remove()
  })
  const waiting = new Map()
  let rest = ''
  server.child.stdout.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines.filter((each) => each.startsWith('{'))) {
      const { id, result, error } = JSON.parse(line)
      waiting.get(id)?.(error ? { isError: true, content: [{ type: 'text', text: error.message }] } : result)
      waiting.delete(id)
    }
  })
  let number = 0
  const send = (message) => server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method, params) =>
    new Promise((resolve) => {
      const id = ++number
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'fixed-plan', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  return async (tool, given = {}) => {
    const { content, isError } = await ask('tools/call', { name: tool, arguments: given })
    const text = content.map((part) => part.text ?? '').join('\n')
    if (isError) throw new Error(`${tool}: ${text.slice(0, 300)}`)
    return text
  }
}

/**
 * What a model would point at in a snapshot of the page: the reference beside a role and a name. `what` matches a line
 * that names it; its first group is the reference.
 */
export function reference(snapshot, what) {
  const found = what.exec(snapshot)?.[1]
  if (!found) throw new Error(`the snapshot has no ${what}: ${snapshot.slice(0, 400)}`)
  return found
}
