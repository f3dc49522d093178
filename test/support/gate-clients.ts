/** Programs that ask a gate for pages without a visitor, as they send their requests, and what becomes of each. */
import { rulesOfGuests } from '../../packages/gate/src/guests.ts'
import { LIST_NAMES } from '../../packages/gate/src/guest-lists.ts'
import type { RuleSettings } from '../../packages/gate/src/settings.ts'

/** What was fetched: two guests whose lists ship without ranges. */
export const FETCHED = {
  uptimerobot: { date: '2026-11-01', ranges: ['192.0.2.128/28'] },
  duckduckbot: { date: '2026-11-01', ranges: ['198.51.100.44'] },
}
export const HOOK: RuleSettings = {
  name: 'hook',
  when: { guest: ['webhooks'], path: ['/hooks/*'], method: ['POST'] },
  effect: 'allow',
}
export const CLOSED: RuleSettings = {
  name: 'closed',
  when: { path: ['/closed/*'] },
  effect: 'deny',
}
/** Lists that open something without a rule of the owner. */
export const LISTS = LIST_NAMES.filter((name) => name !== 'webhooks')
/** The rules of a gate that lets all of them in. */
export const RULES = [CLOSED, HOOK, ...rulesOfGuests(LISTS)]
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0'
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
export const BINGBOT = 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)'

export interface Client {
  readonly who: string
  readonly rule: string
  readonly is: string
  readonly agent: string
  readonly address?: string
  readonly target?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}
export const STRANGER = '203.0.113.7'
export const CLIENTS: readonly Client[] = [
  { who: 'Googlebot', rule: 'googlebot', is: 'verified', agent: GOOGLEBOT, address: '66.249.66.1' },
  {
    who: 'Googlebot by IPv6',
    rule: 'googlebot',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '2001:4860:4801:10::7',
  },
  {
    who: 'Googlebot with a query',
    rule: 'googlebot',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '66.249.79.9',
    target: '/list?page=2',
  },
  { who: 'who lies to be Googlebot', rule: 'none', is: 'claimed', agent: GOOGLEBOT },
  {
    who: 'Googlebot that posts',
    rule: 'none',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '66.249.66.1',
    method: 'POST',
  },
  {
    who: 'Googlebot at what the owner closed',
    rule: 'closed',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '66.249.66.1',
    target: '/closed/x',
  },
  {
    who: 'Googlebot that upgrades',
    rule: 'none',
    is: 'verified',
    agent: GOOGLEBOT,
    address: '66.249.66.1',
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-version': '13',
    },
  },
  { who: 'bingbot', rule: 'bingbot', is: 'verified', agent: BINGBOT, address: '157.55.39.4' },
  { who: 'who lies to be bingbot', rule: 'none', is: 'claimed', agent: BINGBOT },
  {
    who: 'Applebot',
    rule: 'applebot',
    is: 'verified',
    agent: 'Applebot/0.1',
    address: '17.241.75.9',
  },
  { who: 'a Mac at Apple', rule: 'none', is: 'unknown', agent: BROWSER, address: '17.1.2.3' },
  {
    who: 'DuckDuckBot of the fetched list',
    rule: 'duckduckbot',
    is: 'verified',
    agent: 'DuckDuckBot/1.1',
    address: '198.51.100.44',
  },
  {
    who: 'DuckDuckBot at an address that its list has lost',
    rule: 'none',
    is: 'claimed',
    agent: 'DuckDuckBot/1.1',
    address: '198.51.100.45',
  },
  {
    who: 'Telegram',
    rule: 'telegram',
    is: 'verified',
    agent: 'TelegramBot (like TwitterBot)',
    address: '149.154.161.5',
  },
  {
    who: 'a program at Telegram',
    rule: 'none',
    is: 'verified',
    agent: 'x',
    address: '149.154.161.5',
  },
  {
    who: 'Facebook',
    rule: 'facebook-preview',
    is: 'verified',
    agent: 'facebookexternalhit/1.1',
    address: '69.171.230.8',
  },
  {
    who: "another crawler of Facebook's",
    rule: 'none',
    is: 'verified',
    agent: 'meta-externalagent/1.1',
    address: '69.171.230.8',
  },
  {
    who: 'Twitterbot',
    rule: 'twitterbot',
    is: 'verified',
    agent: 'Twitterbot/1.0',
    address: '199.16.157.2',
  },
  {
    who: 'Slack, which has no list',
    rule: 'none',
    is: 'unknown',
    agent: 'Slackbot-LinkExpanding 1.0',
  },
  { who: 'WhatsApp on a phone', rule: 'none', is: 'unknown', agent: 'WhatsApp/2.23' },
  { who: 'Signal, which says WhatsApp', rule: 'none', is: 'unknown', agent: 'WhatsApp/2' },
  {
    who: 'UptimeRobot of the fetched list',
    rule: 'uptimerobot',
    is: 'verified',
    agent: 'UptimeRobot/2.0',
    address: '192.0.2.130',
    method: 'HEAD',
  },
  { who: 'who lies to be UptimeRobot', rule: 'none', is: 'claimed', agent: 'UptimeRobot/2.0' },
  {
    who: 'archive.org',
    rule: 'internet-archive',
    is: 'verified',
    agent: 'archive.org_bot',
    address: '207.241.229.5',
  },
  {
    who: 'CCBot',
    rule: 'common-crawl',
    is: 'verified',
    agent: 'CCBot/2.0',
    address: '18.97.9.170',
  },
  { who: 'Miniflux', rule: 'feeds', is: 'unknown', agent: 'Miniflux/2.2', target: '/feed.xml' },
  {
    who: 'Miniflux at an article',
    rule: 'none',
    is: 'unknown',
    agent: 'Miniflux/2.2',
    target: '/a',
  },
  {
    who: 'a podcast client',
    rule: 'feeds',
    is: 'unknown',
    agent: 'AntennaPod/3.5',
    target: '/podcast.xml',
  },
  { who: 'a browser at a feed', rule: 'none', is: 'unknown', agent: BROWSER, target: '/feed.xml' },
  {
    who: 'a feed reader that names an article',
    rule: 'none',
    is: 'unknown',
    agent: 'x',
    target: '/feed?p=1',
  },
  {
    who: 'git',
    rule: 'git-refs',
    is: 'unknown',
    agent: 'git/2.43.0',
    target: '/team/x.git/info/refs?service=git-upload-pack',
  },
  {
    who: 'git that fetches',
    rule: 'git-upload-pack',
    is: 'unknown',
    agent: 'git/2.43.0',
    target: '/team/x.git/git-upload-pack',
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
  },
  {
    who: 'git that pushes',
    rule: 'none',
    is: 'unknown',
    agent: 'git/2.43.0',
    target: '/x.git/git-receive-pack',
    method: 'POST',
  },
  {
    who: 'apt',
    rule: 'apt',
    is: 'unknown',
    agent: 'Debian APT-HTTP/1.3',
    target: '/debian/dists/stable/InRelease',
  },
  { who: 'pip', rule: 'pip', is: 'unknown', agent: 'pip/24.0', target: '/simple/requests/' },
  { who: 'npm', rule: 'none', is: 'unknown', agent: 'npm/10.2', target: '/left-pad' },
  {
    who: "GitHub's hook",
    rule: 'hook',
    is: 'verified',
    agent: 'GitHub-Hookshot/1a2b',
    address: '140.82.115.3',
    method: 'POST',
    target: '/hooks/deploy',
  },
  {
    who: "GitHub's hook at another path",
    rule: 'none',
    is: 'verified',
    agent: 'GitHub-Hookshot/1a2b',
    address: '140.82.115.3',
    method: 'POST',
    target: '/login',
  },
  {
    who: "Stripe's hook",
    rule: 'hook',
    is: 'verified',
    agent: 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    address: '54.187.174.169',
    method: 'POST',
    target: '/hooks/paid',
  },
  {
    who: "who lies to be Stripe's hook",
    rule: 'none',
    is: 'claimed',
    agent: 'Stripe/1.0',
    method: 'POST',
    target: '/hooks/paid',
  },
  {
    who: 'ACME',
    rule: 'always-open',
    is: 'unknown',
    agent: 'Lets Encrypt validation server',
    target: '/.well-known/acme-challenge/x',
  },
  {
    who: 'a crawler at robots.txt',
    rule: 'always-open',
    is: 'unknown',
    agent: 'x',
    target: '/robots.txt',
  },
  {
    who: 'a crawler at the sitemap',
    rule: 'crawlers-files',
    is: 'unknown',
    agent: 'x',
    target: '/sitemap.xml',
  },
  { who: 'a browser', rule: 'none', is: 'unknown', agent: BROWSER },
]
