/** The sites of the service that the tests of the plug-in use, and how a WordPress is set up for one of them. */
import type { Page } from 'playwright-core'
import type { Sitekey } from '../../src/domain/words.ts'
import { site } from '../support/app.ts'
import { PASS_KEY } from '../support/pass.ts'
import type { WordPress } from './start.ts'

export const secretOf = (name: string): string => `hv_secret_${name.repeat(43).slice(0, 43)}`
const siteOf = (name: string, change: object) =>
  site(
    { sitekey: `hv_site_${name}` as Sitekey, hostnames: ['localhost'], ...change },
    secretOf(name),
  )
/** Playwright's browser is a driver's and scores like one: `people` lets it in, `drivers` has the usual threshold. */
export const SITES = [
  siteOf('people', { scoreThreshold: 0 }),
  siteOf('drivers', { scoreThreshold: 0.5, passKeys: [PASS_KEY] }),
  siteOf('tickets', { scoreThreshold: 0.5, stepUp: 'ticket' }),
]
export const REFUSED = 'We could not process your request. Please try again.'
export const UNAVAILABLE = 'temporarily unavailable'

/** What a WordPress is set up with. */
interface Use {
  /** of SITES */
  name: string
  forms: readonly string[]
  /** of the service */
  url: string
  /** PHP for wp-config.php. */
  lines?: string
}

/** Sets wp-config.php for a site of the service, and the forms that are protected. */
export async function useSite(wordpress: WordPress, { name, forms, url, lines = '' }: Use) {
  wordpress.configure(
    `define( 'HV_URL', '${url}' ); define( 'HV_SITEKEY', 'hv_site_${name}' ); define( 'HV_SECRET', '${secretOf(name)}' ); ${lines}`,
  )
  await wordpress.php(
    `update_option( 'human_verification', array( 'forms' => str_getcsv( '${forms.join(',')}' ) ) );`,
  )
}

/** Returns a token that the widget of an open page gets for a site of the service. */
export const tokenOn = (page: Page, url: string, name: string, action: string): Promise<string> =>
  page.evaluate(
    `new Promise((done) => svcCaptcha.ready(done)).then(() => svcCaptcha.execute(svcCaptcha.render(document.body.appendChild(document.createElement('div')), { sitekey: 'hv_site_${name}', action: '${action}', apiBase: '${url}/' })))`,
  )
/** Returns tokens that let nobody into a form, whose page is open: a forged one, one of another action, one of another site. */
export async function wrongTokens(page: Page, url: string, action: string): Promise<string[]> {
  const forged = 'eyJhbGciOiJFUzI1NiJ9.e30.AAAA'
  const ofOther = await tokenOn(page, url, 'people', 'other')
  return [forged, ofOther, await tokenOn(page, url, 'drivers', action)]
}

/** Makes a WordPress the first site of a multisite. @returns the lines of wp-config.php that it needs from now on. */
export async function makeMultisite(wordpress: WordPress): Promise<string> {
  const { host } = new URL(wordpress.url)
  const tables = `global $wpdb; foreach ( $wpdb->tables( 'ms_global' ) as $table => $name ) $wpdb->$table = $name; install_network();`
  const populate = `populate_network( 1, '${host}', 'admin@example.com', 'Shops', '/', false );`
  await wordpress.php(
    `require_once ABSPATH . 'wp-admin/includes/upgrade.php'; ${tables} ${populate}`,
    `define( 'WP_ALLOW_MULTISITE', true );`,
  )
  const place = `define( 'SUBDOMAIN_INSTALL', 0 ); define( 'PATH_CURRENT_SITE', '/' ); define( 'DOMAIN_CURRENT_SITE', '${host}' );`
  const ones = ['WP_ALLOW_MULTISITE', 'MULTISITE', 'SITE_ID_CURRENT_SITE', 'BLOG_ID_CURRENT_SITE']
  return place + ones.map((name) => `define( '${name}', 1 );`).join('')
}

/** Adds sites to a multisite: /site1/ and so on. */
export async function addSites(wordpress: WordPress, count: number): Promise<void> {
  const { host } = new URL(wordpress.url)
  const blogs = `$_SERVER['REMOTE_ADDR'] = '127.0.0.1'; for ( $i = 1; $i <= ${count}; $i++ ) wpmu_create_blog( '${host}', "/site$i/", 'Site', 1 );`
  // WordPress drops the colon before the port of a new site.
  const address = `foreach ( get_sites( 'number=0' ) as $site ) foreach ( array( 'home', 'siteurl' ) as $option ) update_blog_option( $site->blog_id, $option, untrailingslashit( '${wordpress.url}' . $site->path ) );`
  const domain = `$wpdb->query( "UPDATE $wpdb->blogs SET domain = '${host}'" );`
  await wordpress.php(blogs + address + domain)
}
