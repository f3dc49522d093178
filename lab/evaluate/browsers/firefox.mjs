import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { account, home } from '../screen/account.mjs'
import { start } from '../../stand/processes.mjs'

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

/**
 * Firefox as a person starts it: no Marionette, no remote agent.
 *
 * @param {{ name: string }} display
 * @param {string} url
 * @param {{ preferences?: Record<string, unknown>, args?: string[] }} [options]
 */
export function openFirefox(display, url, { preferences = {}, args = [] } = {}) {
  const own = home()
  const profile = join(own.folder, 'profile')
  mkdirSync(profile)
  const lines = Object.entries({ ...PREFERENCES, ...preferences })
  writeFileSync(
    join(profile, 'user.js'),
    lines.map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''),
  )
  own.give('profile')
  own.give('profile/user.js')
  const size = ['--width', '1340', '--height', '940']
  const browser = start('firefox-esr', ['--profile', profile, '--no-remote', ...size, ...args, url], {
    ...account,
    cwd: own.folder,
    env: own.env(display),
  })
  return {
    said: browser.said,
    async close() {
      await browser.stop()
      own.remove()
    },
  }
}
