import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeLater } from './close-later.ts'
import { needProgram } from './programs.mjs'

/** An X server that picks its own number, and ends with the tests of the file. @returns its display */
export async function startScreen(): Promise<string> {
  const server = spawn(
    needProgram('xvfb'),
    ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  const ended = once(server, 'close')
  closeLater(server, (it) => it.kill('SIGTERM') && ended)
  const [number] = (await once(server.stdio[3]!, 'data')) as [Buffer]
  return `:${number.toString().trim()}`
}

/** The environment of a WebKitGTK program on it, with its own folder. */
export const environmentOf = (display: string, home: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  XDG_RUNTIME_DIR: home,
  DISPLAY: display,
  GDK_BACKEND: 'x11',
  LANG: 'en_GB.UTF-8',
  // There is no graphics card, and no session bus for the accessibility tree.
  LIBGL_ALWAYS_SOFTWARE: '1',
  WEBKIT_DISABLE_DMABUF_RENDERER: '1',
  NO_AT_BRIDGE: '1',
})
