import qrCodeOf from 'qrcode-generator'
import { isPassOf, LONGEST_PASS } from '../domain/pass.ts'
import { parseUrl } from '../domain/parse-url.ts'
import { isAction } from '../domain/site.ts'
import { type Action, type Hostname, later, type Seconds, seconds } from '../domain/words.ts'
import { passId, passKey, sealPass } from '../token/passes.ts'
import { command, nowOf, UsageError } from './command.ts'
import { CONFIG, JSON_OUTPUT } from './describe.ts'
import { EXIT } from './exit-codes.ts'
import { settings } from './settings.ts'

/** `hv pass issue`: a pass for one visitor, as a link and a QR code. */
export const passIssue = command(
  {
    name: 'pass issue',
    summary: 'vouches for one visitor: prints a link that lets a form through once',
    about: `Makes a pass for a site with "passes: true" and prints the link of the page with it, and the link as a QR code on
standard error. Whoever has the link gets through the form once, whatever the score: hand it to the person you vouch for.
Nothing is asked over the network, and nothing is stored.`,
    options: {
      site: { type: 'string', value: 'SITEKEY', required: true, says: 'whose form; the whole sitekey, or its name' },
      url: {
        type: 'string',
        value: 'ADDRESS',
        required: true,
        says: 'the page with the form; its hostname must be one of the site’s',
      },
      action: { type: 'string', value: 'ACTION', required: true, says: 'the data-action of the form' },
      minutes: { type: 'string', value: 'N', default: '30', says: 'how long the pass lives, 1 to 1440' },
      ...CONFIG,
      ...JSON_OUTPUT,
    },
    examples: [
      'hv pass issue --site hv_site_AbCdEfGh --url https://shop.example.com/sign-up --action sign-up',
      "hv pass issue --site 'Example shop' --url https://shop.example.com/contact --action contact --minutes 120 --json",
    ],
    refusal: 'the site takes no passes, or has no secret in force',
    consequence: 'no pass was made',
  },
  async ({ site: which, url, action, minutes, config: file, json }, io) => {
    const config = settings(file, io)
    const site = config.sites.find(({ sitekey, name }) => sitekey === which || name === which)
    if (!site) throw new UsageError(`${config.file} has no site "${which}"`)
    const page = pageOf(url)
    const life = lifeOf(minutes)
    if (!isAction(action)) throw new UsageError(`--action wants 1 to 64 of A-Z a-z 0-9 _ - / .; got "${action}"`)
    const now = nowOf(io)
    const secret = site.secrets.find(({ notAfter }) => notAfter === undefined || now + life < notAfter)
    if (!site.passes || !secret) {
      io.err(
        site.passes
          ? `${site.sitekey} has no secret that lives as long as the pass: make one with hv site rotate`
          : `${site.sitekey} takes no passes: write "passes: true" for it`,
      )
      return EXIT.problems
    }
    const claims = {
      jti: passId(),
      action: action satisfies Action,
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
      return EXIT.done
    }
    io.out(page.href)
    io.err(`${qrOf(page.href)}\nfor one visitor, once, within ${minutes} minutes`)
    return EXIT.done
  },
)

function pageOf(text: string): URL {
  const page = parseUrl(text)
  if (page === undefined || !/^https?:$/.test(page.protocol))
    throw new UsageError(`--url wants the address of a page, such as https://shop.example.com/sign-up; got "${text}"`)
  return page
}

function lifeOf(minutes: string): Seconds {
  const life = Number(minutes) * 60
  if (!/^[1-9][0-9]{0,3}$/.test(minutes) || life > LONGEST_PASS)
    throw new UsageError(`--minutes wants a whole number from 1 to 1440; got "${minutes}"`)
  return seconds(life)
}

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
