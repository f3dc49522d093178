/** The sites of the service that the tests of the plug-in use, and how a WordPress is set up for one of them. */
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
