/** Others that were looked for, and why they are not compared: a peer has to come from a registry as its guide sets it up. */
const DAY = '2026-11-29'

export const ABSENT = [
  {
    name: 'Anubis',
    tried:
      'the Go module proxy refuses `github.com/TecharoHQ/anubis`, and `github.com/TecharoHQ/thoth-proto`, which a checkout of it needs; npm has no `@techaro/anubis`, and Debian no `anubis`',
  },
  {
    name: 'FCaptcha',
    tried:
      'npm has neither `@webdecoy/fcaptcha` nor `@webdecoy/fcaptcha-client`, and the Go module proxy refuses `github.com/WebDecoy/FCaptcha/server-go`',
  },
  {
    name: 'mCaptcha',
    tried:
      'crates.io has its core, `libmcaptcha` 0.2.4, and npm what opens a server’s page in a frame; the server itself is in no registry',
  },
  {
    name: 'GateCHA',
    tried: 'the Go module proxy refuses `github.com/Upellift99/GateCHA`',
  },
  {
    name: 'Private Captcha',
    tried:
      'the Go module proxy refuses `github.com/PrivateCaptcha/PrivateCaptcha`; npm has the core of its widget alone',
  },
  {
    name: 'Friendly Captcha',
    tried:
      'npm has the widget, `friendly-challenge` 0.9.20; its lite server, whose licence is non-commercial, is in none of these',
  },
].map((each) => ({ ...each, day: DAY }))
