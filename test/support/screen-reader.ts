/** Orca, the screen reader of GNOME, on an X server and a session bus of its own: its speech is read, and not played. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeLater, newFolder } from './close-later.ts'
import { needProgram, type ProgramName } from './programs.mjs'
import { startScreen } from './screen.ts'

/** Milliseconds within which something has to be heard, on a busy machine. */
const PATIENCE = 120_000

/** Orca keeps a log of its speech and shows it to nobody; this sends it to standard output. A page is not read out by itself. */
const CUSTOMIZATIONS = `
import logging, sys
import orca.settings
logging.getLogger("speech").addHandler(logging.StreamHandler(sys.stdout))
orca.settings.sayAllOnLoad = False
orca.settings.pageSummaryOnLoad = False
`

/** Speech Dispatcher with its dummy for a synthesizer, and the driver of libao that plays nothing. */
const speechSettings = (folder: string): string => `LogLevel 0
LogDir "${folder}"
AddModule "dummy" "sd_dummy" ""
DefaultModule dummy
AudioOutputMethod "libao"
`

export type ScreenReader = Awaited<ReturnType<typeof startScreenReader>>

/** Starts Orca. It allows one of itself for each user. */
export async function startScreenReader() {
  const folder = newFolder()
  const socket = join(folder, 'speech.sock')
  let env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    DISPLAY: await startScreen(),
    LANG: 'C.UTF-8',
    GSETTINGS_BACKEND: 'memory',
    GNOME_ACCESSIBILITY: '1',
    SPEECHD_ADDRESS: `unix_socket:${socket}`,
    // Orca would wait for the end of a Speech Dispatcher that it started itself.
    SPEECHD_CMD: '/bin/false',
  }
  const start = (program: ProgramName, ...args: string[]): ChildProcess => {
    const child = spawn(needProgram(program), args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = once(child, 'close')
    return closeLater(child, (it) => it.kill('SIGKILL') && ended)
  }

  const [address] = (await once(
    start('dbus', '--session', '--nofork', '--print-address').stdout!,
    'data',
  )) as [Buffer]
  env = { ...env, DBUS_SESSION_BUS_ADDRESS: address.toString().trim() }
  // Without a window manager no window is the active one.
  start('openbox')
  const [speech, orca] = [join(folder, 'speech'), join(folder, 'orca')]
  for (const each of [speech, orca]) mkdirSync(each)
  writeFileSync(join(speech, 'speechd.conf'), speechSettings(folder))
  writeFileSync(join(folder, '.libao'), 'default_driver=null\n')
  writeFileSync(join(orca, 'orca-customizations.py'), CUSTOMIZATIONS)
  const settings = `--run-single --config-dir ${speech} --pid-file ${folder}/speech.pid`
  const listen = `--communication-method unix_socket --socket-path ${socket}`
  const dispatcher = start('speechDispatcher', ...`${settings} ${listen}`.split(' '))
  while (!existsSync(socket)) {
    if (dispatcher.exitCode !== null) throw new Error('Speech Dispatcher did not start')
    await sleep(20)
  }

  const lines: string[] = []
  const over = new AbortController()
  const spoken = createInterface({ input: start('orca', '--user-prefs', orca).stdout! })
  spoken.once('close', () => over.abort())
  spoken.on('line', (line) => {
    const said = /^SPEECH OUTPUT: '(.*)'/.exec(line)?.[1]
    if (said) lines.push(said)
  })
  /** Waits until a line is heard, after the first ones. @returns all that was heard after those, up to this line */
  async function heard(wanted: RegExp, after = 0, patience = PATIENCE): Promise<string[]> {
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(patience)])
    for (;;) {
      const since = lines.slice(after)
      const at = since.findIndex((line) => wanted.test(line))
      if (at >= 0) return since.slice(0, at + 1)
      await once(spoken, 'line', { signal }).catch(() => {
        const why = over.signal.aborted ? 'Orca ended' : 'it was not heard'
        throw new Error(`${why}: ${wanted} in ${JSON.stringify(lines.slice(after))}`)
      })
    }
  }
  await heard(/^Screen reader on/)
  return {
    /** The environment of a browser that is heard. */
    env,
    lines,
    heard,
  }
}
