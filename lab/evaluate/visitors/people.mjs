/** People who fill in the form with nothing special on the way. */
import { openChromium, openFirefox, openWebkit, PRIVATE, RESISTING } from '../browsers.mjs'
import { fillByKeyboard, fillByMouse, fillByTaps } from '../person/fill.mjs'

const mouse = (how) => (stage) => fillByMouse(stage, stage.hands(how))
const keyboard = (how) => (stage) => fillByKeyboard(stage, stage.hands(), how)

/** Browsers beside Chromium, and what they need. */
const firefox = { open: openFirefox, needs: ['firefox'] }
const webkit = { open: openWebkit, needs: ['webkit'] }
const onOneCore = (niceness) => ({ prefix: ['taskset', '-c', '0', 'nice', '-n', String(niceness)] })

/** Chromium's window on the screen of 1280 by 800 that takes touches. */
export const TOUCH_WINDOW = ['--window-size=1280,756', '--window-position=0,0']

export default [
  {
    name: 'mouse',
    what: 'Chromium; goes from field to field with the mouse and types',
    fill: mouse(),
  },
  {
    name: 'keyboard only',
    what: 'Chromium; no pointer at all: Tab, typing, Space and Enter',
    address: 'school',
    fill: keyboard(),
  },
  {
    name: 'touch',
    what: 'Chromium on a screen of 1280 by 800 with a real touch device of the X server: taps, and types on a keyboard; no pointer moves at all',
    screen: 'touch',
    options: { args: TOUCH_WINDOW },
    fill: fillByTaps,
  },
  {
    name: 'slow reader',
    what: 'Chromium; reads for a quarter of a minute first, and for some seconds before each field',
    address: 'school',
    fill: (stage) =>
      fillByMouse(stage, stage.hands(), { look: [12_000, 18_000], think: [2500, 5000] }),
  },
  {
    name: 'screen-reader tree',
    what: 'Chromium with its accessibility tree forced on, as a screen reader has it; keyboard only, and slower',
    options: { args: ['--force-renderer-accessibility=complete'] },
    fill: keyboard({ listen: [700, 1600] }),
  },
  {
    name: 'low power',
    what: 'Chromium on one core, behind everything else that runs on the machine',
    options: onOneCore(15),
    fill: mouse(),
  },
  {
    name: 'low power, keyboard only',
    what: 'Chromium on one core, behind everything else that runs on the machine, and no pointer: little to show, and slow work',
    options: onOneCore(19),
    fill: keyboard(),
  },
  {
    name: 'dark, German',
    what: 'Chromium in dark colours and German, in another time zone, with a mouse of 500 Hz',
    address: 'school',
    options: {
      args: ['--force-dark-mode', '--lang=de'],
      env: { LANG: 'de_DE.UTF-8', LANGUAGE: 'de', TZ: 'America/Lima' },
    },
    fill: mouse({ every: 2 }),
  },
  {
    name: 'privacy settings',
    what: 'Chromium without canvas reading, WebGL, WebRTC, storage quota or referrers, and in a private window',
    options: { args: PRIVATE },
    fill: mouse(),
  },
  {
    name: 'reduced Accept-Language',
    what: 'Chromium with the reduced Accept-Language that is being rolled out: one language, written elsewhere among the headers',
    options: { args: ['--enable-features=ReduceAcceptLanguage,ReduceAcceptLanguageHTTP'] },
    fill: mouse(),
  },
  { name: 'Firefox, mouse', what: 'Firefox ESR; mouse and keyboard', ...firefox, fill: mouse() },
  {
    name: 'Firefox, keyboard only',
    what: 'Firefox ESR; Tab, typing, Space and Enter',
    ...firefox,
    fill: keyboard(),
  },
  {
    name: 'Firefox, privacy settings',
    what: 'Firefox ESR with resistFingerprinting (coarse clocks, spoofed screen and system), strict tracking protection, no WebGL',
    options: { preferences: RESISTING },
    ...firefox,
    fill: mouse({ believes: false }),
  },
  // MiniBrowser tells its page where the window is, and not how high its bars are.
  {
    name: 'WebKit, mouse',
    what: 'WebKitGTK in MiniBrowser; mouse and keyboard',
    ...webkit,
    fill: mouse({ believes: false }),
  },
  {
    name: 'WebKit, keyboard only',
    what: 'WebKitGTK in MiniBrowser; Tab, typing, Space and Enter',
    ...webkit,
    fill: keyboard(),
  },
  {
    name: 'WebKit, touch',
    what: 'WebKitGTK in MiniBrowser on a screen of 1280 by 800 with a real touch device of the X server: taps, and types on a keyboard',
    screen: 'touch',
    ...webkit,
    fill: (stage) => fillByTaps(stage, { believes: false }),
  },
  {
    name: 'WebKit, high contrast',
    what: 'WebKitGTK in MiniBrowser with the desktop’s theme of high contrast (`prefers-contrast: more`; this engine has no forced colours); mouse and keyboard',
    options: { env: { GTK_THEME: 'HighContrast' } },
    ...webkit,
    fill: mouse({ believes: false }),
  },
].map(({ open = openChromium, options, fill, ...about }) => ({
  kind: 'person',
  screen: true,
  ...about,
  async visit(stage) {
    open(stage, options)
    await fill(stage)
  },
}))
