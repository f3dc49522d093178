<?php
/**
 * Commands of wp-cli.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Changes, tests and reports the settings of Human Verification.
 */
class Command {
	/**
	 * Tests the connection to the service.
	 *
	 * ## OPTIONS
	 *
	 * [--network]
	 * : Tests each site of a multisite.
	 *
	 * @param string[]              $names  Not used.
	 * @param array<string, string> $values The options.
	 */
	public function test( array $names = array(), array $values = array() ): void {
		$problems = array();
		foreach ( $this->sites( $values ) as $url ) {
			\WP_CLI::log( $url );
			$problem = $this->test_site();
			if ( '' !== $problem ) {
				$problems[] = isset( $values['network'] ) ? "$url: $problem" : $problem;
			}
		}
		if ( $problems ) {
			\WP_CLI::error( implode( "\n", $problems ) );
		}
		\WP_CLI::success( 'The connection works.' );
	}

	/**
	 * Prints what is set, and whether the service answers, one line for each site. The exit code is 1 if
	 * the forms of a site are closed, or if it lacks the plug-in, so a monitoring system can call it.
	 *
	 * ## OPTIONS
	 *
	 * [--network]
	 * : Reports each site of a multisite.
	 *
	 * [--format=<format>]
	 * : table or json.
	 *
	 * @param string[]              $names  Not used.
	 * @param array<string, string> $values The options.
	 */
	public function status( array $names, array $values ): void {
		$rows = array();
		foreach ( $this->sites( $values ) as $url ) {
			$rows[] = array( 'url' => $url ) + status();
		}
		$this->print_rows( $rows, $values['format'] ?? 'table' );
		$closed = array_diff( array_column( $rows, 'state' ), array( 'ok', 'off' ) );
		if ( $closed ) {
			\WP_CLI::halt( 1 );
		}
	}

	/**
	 * Changes settings.
	 *
	 * ## OPTIONS
	 *
	 * [--service=<url>]
	 * : The address of the service.
	 *
	 * [--sitekey=<sitekey>]
	 * : The sitekey of its site.
	 *
	 * [--secret=<secret>]
	 * : The secret of the same site.
	 *
	 * [--threshold=<number>]
	 * : A score from 0 to 1, if this WordPress is stricter than the site.
	 *
	 * [--proxies=<list>]
	 * : Addresses and ranges that may append to X-Forwarded-For, or "direct".
	 *
	 * [--forms=<forms>]
	 * : Names with commas between, such as login,comment.
	 *
	 * [--network]
	 * : Sets them for all sites of a multisite.
	 *
	 * [--from=<file>]
	 * : Sets the sitekey and the secret of each site of a multisite by what "hv site add --from LIST --json" printed.
	 *
	 * @param string[]              $names  Not used.
	 * @param array<string, string> $values The options.
	 */
	public function set( array $names, array $values ): void {
		require_once ABSPATH . 'wp-admin/includes/template.php';
		$options = array_intersect_key( $values, DEFAULTS );
		$this->refuse_unknown( $names, array_diff_key( $values, DEFAULTS ), $options );
		if ( isset( $options['forms'] ) ) {
			$options['forms'] = array_filter( explode( ',', $options['forms'] ) );
		}
		if ( isset( $values['from'] ) ) {
			$list = (string) file_get_contents( $values['from'] ); // phpcs:ignore WordPress.WP.AlternativeFunctions
			$this->set_sites( sites_in( $list ), $options );
			return;
		}
		if ( isset( $values['network'] ) ) {
			$this->set_network( $options );
			return;
		}
		$this->set_site( $options );
		\WP_CLI::success( 'Protected forms: ' . implode( ', ', settings()['forms'] ) );
	}

	/**
	 * Protects the forms that another plug-in with a captcha guards, or goes back.
	 *
	 * ## OPTIONS
	 *
	 * [--back]
	 * : Protects the forms that were protected before.
	 *
	 * @param string[]              $names  Not used.
	 * @param array<string, string> $values The options.
	 */
	public function move( array $names, array $values ): void {
		require_once ABSPATH . 'wp-admin/includes/template.php';
		if ( isset( $values['back'] ) ) {
			move_back();
		} else {
			foreach ( captchas_here() as $name => $forms ) {
				\WP_CLI::log( "$name guards: " . implode( ', ', $forms ) );
				move_to_here( $forms );
			}
		}
		$this->stop_at_errors();
		\WP_CLI::success( 'Protected forms: ' . implode( ', ', settings()['forms'] ) );
	}

	/**
	 * Ends the command if an option or a form is not known.
	 *
	 * @param string[] $names   Arguments without a name.
	 * @param array    $others  Options that are no settings.
	 * @param array    $options Options that are.
	 */
	private function refuse_unknown( array $names, array $others, array $options ): void {
		$unknown_options = array_diff( array_keys( $others ), array( 'network', 'from' ) );
		$forms           = array_filter( explode( ',', $options['forms'] ?? '' ) );
		$unknown         = array_merge( $names, $unknown_options, array_diff( $forms, array_keys( forms() ) ) );
		if ( $unknown ) {
			$known = implode( ', ', array_keys( forms() ) );
			\WP_CLI::error( 'unknown: ' . implode( ', ', $unknown ) . "; the forms are $known" );
		}
	}

	/**
	 * Sets what was given for each site of a list, at the site that has its hostname.
	 *
	 * @param array<string, array> $sites   Sitekey and secret by hostnames.
	 * @param array                $options The other settings, the same for each.
	 */
	private function set_sites( array $sites, array $options ): void {
		$count = 0;
		foreach ( $this->sites( array( 'network' => true ) ) as $url ) {
			$site = $sites[ wp_parse_url( $url, PHP_URL_HOST ) ] ?? null;
			if ( null === $site ) {
				\WP_CLI::warning( "not in the list: $url" );
				continue;
			}
			$this->set_site( $site + $options );
			++$count;
		}
		\WP_CLI::success( "Sites that were set: $count" );
	}

	/**
	 * Sets what was given for each site of a multisite.
	 *
	 * @param array $options Some settings.
	 */
	private function set_network( array $options ): void {
		update_site_option( OPTION, sanitize_network( $options + network_settings() ) );
		$this->stop_at_errors();
		\WP_CLI::success( 'Protected forms of each site: ' . implode( ', ', network_settings()['forms'] ) );
	}

	/**
	 * Sets what was given for the current site.
	 *
	 * @param array $options Some settings.
	 */
	private function set_site( array $options ): void {
		update_option( OPTION, sanitize( $options + array( 'forms' => settings()['forms'] ) ) );
		$this->stop_at_errors();
	}

	/**
	 * Prints the status of sites.
	 *
	 * @param array<int, array<string, string>> $rows   One for each site.
	 * @param string                            $format `json`, or anything else for lines with tabs.
	 */
	private function print_rows( array $rows, string $format ): void {
		if ( 'json' === $format ) {
			\WP_CLI::log( wp_json_encode( $rows ) );
			return;
		}
		foreach ( $rows as $row ) {
			\WP_CLI::log( implode( "\t", $row ) );
		}
	}

	/** Ends the command at the first error of what was entered. */
	private function stop_at_errors(): void {
		foreach ( get_settings_errors( OPTION ) as $error ) {
			\WP_CLI::error( $error['message'] );
		}
	}

	/** Prints the steps of a test. Returns what is wrong, or ''. */
	private function test_site(): string {
		if ( ! is_active_here() ) {
			return 'The plug-in is not active here: "wp plugin activate human-verification --network".';
		}
		foreach ( test_connection() as list( $is_good, $sentence ) ) {
			if ( ! $is_good ) {
				return $sentence;
			}
			\WP_CLI::log( $sentence );
		}
		return '';
	}

	/**
	 * Makes each site that a command is for the current one in turn, and yields its address.
	 *
	 * @param array<string, string> $values The options of the command.
	 */
	private function sites( array $values ): \Generator {
		if ( ! isset( $values['network'] ) || ! is_multisite() ) {
			yield home_url();
			return;
		}
		foreach ( get_sites( 'fields=ids&number=0' ) as $id ) {
			switch_to_blog( $id );
			yield home_url();
			restore_current_blog();
		}
	}
}

\WP_CLI::add_command( 'human-verification', Command::class );
