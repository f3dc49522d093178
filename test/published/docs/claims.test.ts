/** What pages say of other people's software has a source and a date; what they say to type is run, or says that it is not. */
import { existsSync, readFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { hv } from '../../support/hv.ts'
import { ROOT } from '../../support/root.ts'

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.md$|readme\.txt$/.test(file) && existsSync(join(ROOT, file)))
  .filter((file) => !/^(lab|test)\/|^CHANGELOG/.test(file))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Software of others that pages speak of, as they write it. */
const OTHERS = [
  'Altcha|ALTCHA|Anubis|Cap|Cloudflare|Friendly Captcha|hCaptcha|Private Captcha|reCAPTCHA|Turnstile',
  'Apache|AWS|Caddy|Docker|Envoy|Google Cloud|Grafana|HAProxy|haproxy|Kubernetes|nginx|Traefik|Vercel',
  'Contact Form 7|Elementor|PHP|WooCommerce|WordPress|the checkout block',
  'Chrome|Chromium|Firefox|Safari|WebKit|Playwright|Selenium|Slack',
  'Debian|Express|Fastify|Hono|Next\\.js|Node\\.js|Redis|Valkey|npm|systemd|V8',
].join('|')
const ABSOLUTE =
  'cannot|can not|never|only|no other|nobody else|offers? no|has no|have no|does not|do not'
const CLAIMS = [
  // The name, and what it cannot: "nginx never retries". Then what nobody but it can: "only Caddy does".
  new RegExp(`(?<![\\w-])(?:${OTHERS})(?![\\w-])[^.;:|,]{0,50}?\\b(?:${ABSOLUTE})\\b`),
  new RegExp(`\\b(?:only|no other [a-z]+ than|nobody but) (?:${OTHERS})(?![\\w-])`),
]
const SOURCE = /<!-- source: .+, \d{4}-\d\d(-\d\d)? -->/

/** Sources of a page whose readers would see a comment. */
const APART: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/wordpress/readme.txt': {
    'WordPress does not': 'test/wordpress with WordPress 6.1.9, 2026-11',
  },
}

/** The paragraphs, rows and items of a page, with the comments that stand in them or directly before. */
function statementsIn(text: string): string[] {
  const prose = text.replaceAll(/^ *```[^]*?^ *```$/gm, '')
  return prose.split(/\n{2,}|\n(?=\|)|\n(?= *(?:[-*]|\d+\.) )/)
}
/** Without code and addresses, which state nothing. */
const plain = (text: string): string =>
  text
    .replaceAll(/<!--[^]*?-->/g, ' ')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/`[^`]*`/g, '`')
    .replaceAll(/\s+/g, ' ')

const unfounded = (text: string): string[] =>
  statementsIn(text)
    .filter((statement) => !SOURCE.test(statement))
    .flatMap((statement) => CLAIMS.flatMap((claim) => claim.exec(plain(statement))?.[0] ?? []))

test.each(pages)('%s has a source for what it says others never do', (file) => {
  const apart = APART[file] ?? {}
  expect(unfounded(read(file)).filter((claim) => !Object.hasOwn(apart, claim))).toEqual([])
})

test.each([
  { says: ['WooCommerce offers no'], text: 'The block of WooCommerce offers no hook.' },
  { says: ['only Caddy'], text: 'Certificates come by themselves, as only Caddy does it.' },
  { says: [], text: 'nginx never retries.\n<!-- source: nginx.org/en/docs, 2026-11 -->' },
  { says: ['nginx never'], text: 'nginx never retries.\n\n<!-- source: elsewhere, 2026-11 -->' },
  { says: [], text: 'Behind nginx the service is reached; visitors never notice.' },
])('it finds $says in "$text"', ({ says, text }) => expect(unfounded(text)).toEqual(says))

const HEAD = /^ *```(?:sh|bash|console)\b.*$/
/** The blocks of a page that are typed into a shell, each with the line before it. */
function commandsIn(file: string) {
  const lines = read(file).split('\n')
  return lines.flatMap((line, i) => {
    if (!HEAD.test(line)) return []
    const end = lines.findIndex((each, j) => j > i && /^ *```$/.test(each))
    return [{ before: lines[i - 1] ?? '', text: lines.slice(i + 1, end).join('\n') }]
  })
}
const withCommands = pages.filter((file) => commandsIn(file).length > 0)

test.each(withCommands)(
  '%s says of each block of commands which test runs it, or why none does',
  (file) => {
    const missing = commandsIn(file).filter(({ before, text }) => {
      if (/^ *<!-- not run: .+ -->$/.test(before)) return false
      const [, tests = ''] = /^ *<!-- run by (.+) -->$/.exec(before) ?? []
      const [first = '', ...others] = tests.match(/[\w./-]+\.test\.ts/g) ?? []
      const folder = first.slice(0, first.lastIndexOf('/'))
      const named = [
        first,
        ...others.map((name) => (name.includes('/') ? name : `${folder}/${name}`)),
      ]
      return first === '' || !named.every((name) => existsSync(join(ROOT, name))) || text === ''
    })
    expect(missing.map(({ text }) => text)).toEqual([])
  },
)

/** Each `hv …` of a page: its words up to the first option, and its options. */
const calls = new Map(
  withCommands.flatMap((file) =>
    commandsIn(file).flatMap(({ text }) =>
      [...text.replaceAll('\\\n', ' ').matchAll(/(?<=^|[\s(])hv ([a-z][^#|&>\n]*)/gm)].map(
        ([, words]) => [`${file}: hv ${words!.trim()}`, words!.trim().split(/\s+/)] as const,
      ),
    ),
  ),
)
test.each([...calls])('%s is a command with these options', async (_call, words) => {
  const [first = '', second = ''] = words
  const name = ['site', 'pass', 'agents', 'rules'].includes(first) ? [first, second] : [first]
  const { code, out } = await hv([...name, '--help'])
  expect(code).toBe(0)
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]!)
  expect(options.filter((option) => !out.includes(option))).toEqual([])
})
