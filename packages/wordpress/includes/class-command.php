<?php
/**
 * Commands of wp-cli.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

/**
 * Changes and tests the settings of Human Verification.
 */
class Command {
	/**
	 * Tests the connection to the service.
	 */
	public function test(): void {
		foreach ( test_connection() as list( $is_good, $sentence ) ) {
			if ( ! $is_good ) {
				\WP_CLI::error( $sentence );
			}
			\WP_CLI::log( $sentence );
		}
		\WP_CLI::success( 'The connection works.' );
	}

	/**
	 * Changes settings: --service=https://verify.example.com, --sitekey, --secret, --threshold,
	 * --proxies, --forms=login,comment.
	 *
	 * @param string[]              $names  Not used.
	 * @param array<string, string> $values The options.
	 */
	public function set( array $names, array $values ): void {
		require_once ABSPATH . 'wp-admin/includes/template.php';
		$forms = settings()['forms'];
		if ( isset( $values['forms'] ) ) {
			$forms = array_filter( explode( ',', $values['forms'] ) );
		}
		$unknown_settings = array_keys( array_diff_key( $values, settings() ) );
		$unknown_forms    = array_diff( $forms, array_keys( forms() ) );
		$unknown          = array_merge( $unknown_settings, $unknown_forms, $names );
		if ( $unknown ) {
			$known = implode( ', ', array_keys( forms() ) );
			\WP_CLI::error( 'unknown: ' . implode( ', ', $unknown ) . "; the forms are $known" );
		}
		update_option( OPTION, sanitize( array( 'forms' => $forms ) + $values ) );
		foreach ( get_settings_errors( OPTION ) as $error ) {
			\WP_CLI::error( $error['message'] );
		}
		\WP_CLI::success( 'Protected forms: ' . implode( ', ', settings()['forms'] ) );
	}
}

\WP_CLI::add_command( 'human-verification', Command::class );
