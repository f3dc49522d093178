import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { QUIET, WINDOW } from './bots/chromium.mjs'
import { home, startAsVisitor } from './screen/account.mjs'

/**
 * Browsers as a person starts them: an ordinary window on the visit's display, an ordinary user, an empty profile; no
 * automation. Each is closed when the visit is over.
 */

/**
 *   `path`: the page it begins with; `prefix`: what the command begins with, as `['taskset', '-c', '0']`; `script`: of an
 *   extension, a content script in its own world, or in that of the page with `world: 'MAIN'`
 */
export function openChromium(
  stage,
  { path = '/', args = [], env, prefix = [], script, world } = {},
) {
  const own = home()
  const extension = script === undefined ? [] : withExtension(own, script, world)
  const place = args.some((arg) => arg.startsWith('--window-size')) ? [] : WINDOW
  const profile = `--user-data-dir=${own.folder}/profile`
  const url = new URL(path, stage.url).href
  const [program, ...rest] = [
    ...prefix,
    'chromium',
    profile,
    ...QUIET,
    ...place,
    ...args,
    ...extension,
    url,
  ]
  startAsVisitor(stage, program, rest, { own, env })
}

function withExtension({ folder, give }, script, world = 'ISOLATED') {
  mkdirSync(join(folder, 'extension'))
  const manifest = {
    manifest_version: 3,
    name: 'helper',
    version: '1.0',
    content_scripts: [
      { matches: ['http://localhost/*'], js: ['script.js'], run_at: 'document_start', world },
    ],
  }
  writeFileSync(join(folder, 'extension/manifest.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'extension/script.js'), script)
  for (const path of ['extension', 'extension/manifest.json', 'extension/script.js']) give(path)
  return [
    `--load-extension=${join(folder, 'extension')}`,
    '--disable-features=DisableLoadExtensionCommandLineSwitch',
  ]
}

/** What a person has clicked away long ago: first-run pages, reports, update checks. Nothing that pages see. */
const PREFERENCES = {
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.firstrunSkipsHomepage': true,
  'browser.tabs.warnOnClose': false,
  'browser.translations.automaticallyPopup': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'termsofuse.acceptedVersion': 999,
  'termsofuse.bypassNotification': true,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'app.normandy.enabled': false,
  'app.update.auto': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'extensions.getAddons.cache.enabled': false,
  'signon.rememberSignons': false,
}

/** What people switch off for their privacy, in Chromium and in Firefox. */
export const PRIVATE = [
  '--incognito',
  '--disable-reading-from-canvas',
  '--disable-3d-apis',
  '--no-referrers',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-features=UserAgentClientHint',
]
export const RESISTING = {
  'privacy.resistFingerprinting': true,
  'privacy.trackingprotection.enabled': true,
  'browser.contentblocking.category': 'strict',
  'privacy.donottrackheader.enabled': true,
  'privacy.globalprivacycontrol.enabled': true,
  'webgl.disabled': true,
  'media.peerconnection.enabled': false,
  'privacy.firstparty.isolate': true,
}

export function openFirefox(stage, { path = '/', preferences = {} } = {}) {
  const own = home()
  const profile = join(own.folder, 'profile')
  mkdirSync(profile)
  const lines = Object.entries({ ...PREFERENCES, ...preferences }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  )
  writeFileSync(join(profile, 'user.js'), lines.join(''))
  own.give('profile')
  own.give('profile/user.js')
  const size = ['--width', '1340', '--height', '940']
  const url = new URL(path, stage.url).href
  startAsVisitor(stage, 'firefox-esr', ['--profile', profile, '--no-remote', ...size, url], { own })
}

/** Debian keeps MiniBrowser in the folder of the library, whose name has the machine's architecture. */
function miniBrowser() {
  const folders = readdirSync('/usr/lib').map((name) => join('/usr/lib', name, 'webkit2gtk-4.1'))
  const found = folders
    .map((folder) => join(folder, 'MiniBrowser'))
    .find((file) => existsSync(file))
  if (!found)
    throw new Error('there is no MiniBrowser below /usr/lib: apt-get install webkit2gtk-driver')
  return found
}

/** A runtime folder of its own; no graphics card and no session bus: what a display in memory lacks, and pages do not see. */
export const webkitEnvironment = (own) => ({
  GDK_BACKEND: 'x11',
  LIBGL_ALWAYS_SOFTWARE: '1',
  WEBKIT_DISABLE_DMABUF_RENDERER: '1',
  NO_AT_BRIDGE: '1',
  XDG_RUNTIME_DIR: own.runtime(),
})

/** WebKitGTK in its MiniBrowser. */
export function openWebkit(stage, { path = '/', env } = {}) {
  const own = home()
  const environment = { ...webkitEnvironment(own), ...env }
  startAsVisitor(stage, miniBrowser(), ['--geometry=1340x940', new URL(path, stage.url).href], {
    own,
    env: environment,
  })
}
