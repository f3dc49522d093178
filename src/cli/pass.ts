import type { Command } from 'commander'
import qrCodeOf from 'qrcode-generator'
import { isPassOf, LONGEST_PASS } from '../domain/pass.ts'
import { type Action, type Hostname, later, seconds } from '../domain/words.ts'
import { passId, passKey, sealPass } from '../tokens/passes.ts'
import {
  actionValue,
  configOf,
  configOption,
  define,
  given,
  group,
  jsonOption,
  matching,
  Problem,
  siteIn,
  siteOption,
  urlValue,
  UsageError,
} from './command.ts'
import type { Io } from './io.ts'

interface Options {
  readonly site?: string
  readonly url?: URL
  readonly action?: Action
  readonly minutes: string
  readonly config?: string
  readonly json?: true
}

/** `hv pass …`: vouches for a visitor. */
export const passCommand = (io: Io): Command => group('pass', 'vouch for a visitor', [issueCommand(io)])

const issueCommand = (io: Io): Command =>
  define('issue', {
    summary: 'vouch for one visitor: print a link that lets a form through once',
    about: `Makes a pass for a site with "passes: true" and prints the link of the page with it, and the link as a QR code on standard error. Whoever has the link gets through the form once, whatever the score: hand it to the person you vouch for. Nothing is asked over the network, and nothing is stored.`,
    examples: [
      'hv pass issue --site hv_site_AbCdEfGh --url https://shop.example.com/sign-up --action sign-up',
      "hv pass issue --site 'Example shop' --url https://shop.example.com/contact --action contact --minutes 120 --json",
    ],
    fails: 'the site takes no passes, or has no secret in force',
  })
    .addOption(siteOption())
    .option('--url <ADDRESS>', 'the page with the form; its hostname must be one of the site’s; required', urlValue)
    .option('--action <ACTION>', 'the data-action of the form; required', actionValue)
    .option('--minutes <N>', 'how long the pass lives, 1 to 1440', matching(/^[1-9][0-9]{0,3}$/, '1 to 1440'), '30')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(({ minutes, config: file, json, ...options }: Options) => {
      const site = siteIn(configOf(file, io), options.site)
      const page = given('--url ADDRESS', options.url)
      const action = given('--action ACTION', options.action)
      const now = io.now()
      const life = seconds(Number(minutes) * 60)
      if (life > LONGEST_PASS) throw new UsageError('--minutes: expected 1 to 1440')
      const secret = site.secrets.find(({ notAfter }) => notAfter === undefined || now + life < notAfter)
      if (!site.passes) throw new Problem(`${site.sitekey} takes no passes: write "passes: true" for it`)
      if (!secret)
        throw new Problem(`${site.sitekey} has no secret that lives as long as the pass: make one with hv site rotate`)
      const claims = {
        jti: passId(),
        action,
        hostname: page.hostname as Hostname,
        issuedAt: now,
        expiresAt: later(now, life),
      }
      if (!isPassOf(site, claims, now))
        throw new UsageError(`the site has no hostname "${page.hostname}", or no action "${action}"`)
      const pass = sealPass(claims, passKey(secret.sha256))
      page.hash = `hv=${pass}`
      if (json) {
        io.out(JSON.stringify({ link: page.href, pass, expires_at: claims.expiresAt }))
        return
      }
      io.out(page.href)
      io.err(`${qrOf(page.href)}\nfor one visitor, once, within ${minutes} minutes`)
    })

/** For a terminal: two rows of modules in a line, light ones drawn, so that it reads on a dark background. */
function qrOf(text: string): string {
  const code = qrCodeOf(0, 'L')
  code.addData(text)
  code.make()
  const size = code.getModuleCount()
  const isLight = (row: number, column: number): boolean =>
    row < 0 || column < 0 || row >= size || column >= size || !code.isDark(row, column)
  const lines: string[] = []
  for (let row = -2; row < size + 2; row += 2) {
    let line = ''
    for (let column = -2; column < size + 2; column++) {
      const [upper, lower] = [isLight(row, column), isLight(row + 1, column)]
      line += upper && lower ? '█' : upper ? '▀' : lower ? '▄' : ' '
    }
    lines.push(line)
  }
  return lines.join('\n')
}
