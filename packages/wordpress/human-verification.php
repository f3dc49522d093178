<?php
/**
 * Plugin Name: Human Verification
 * Description: Protects log-in, registration, lost-password, comment, contact and shop forms with a verification service that you run yourself. No puzzle, no cookie, no third party.
 * Version: 0.1.0
 * Requires at least: 5.9
 * Requires PHP: 7.4
 * License: Apache-2.0
 * License URI: https://www.apache.org/licenses/LICENSE-2.0
 * Text Domain: human-verification
 *
 * Apache-2.0 is compatible with version 3 of the GPL, under which WordPress ("version 2 or later") may be combined with it.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

defined( 'ABSPATH' ) || exit;

foreach ( array( 'settings', 'addresses', 'verify', 'widget', 'core-forms', 'other-plugins', 'connection', 'admin' ) as $hv_part ) {
	require_once __DIR__ . "/includes/$hv_part.php";
}
if ( defined( 'WP_CLI' ) && \WP_CLI ) {
	require_once __DIR__ . '/includes/class-command.php';
}

add_action(
	'init',
	function () {
		protect_core_forms();
		protect_contact_form_7();
		protect_woocommerce();
	}
);
