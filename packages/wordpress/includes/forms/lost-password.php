<?php
/**
 * WordPress' form for a lost password.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Refuses to mail a new password. Administrators' pages and other plug-ins run the same action outside wp-login.php.
 *
 * @param \WP_Error $errors Gets the error.
 */
function check_lost_password( $errors ): void {
	if ( did_action( 'login_init' ) ) {
		replace_errors( $errors, 'lost-password' );
	}
}
