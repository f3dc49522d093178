<?php
/**
 * WordPress' form for a lost password.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

add_action( 'init', __NAMESPACE__ . '\protect_lost_password' );

/** Adds the hooks of the form. */
function protect_lost_password(): void {
	if ( is_protected( 'lost-password' ) ) {
		show_on( 'lostpassword_form', 'lost-password' );
		add_action( 'lostpassword_post', __NAMESPACE__ . '\check_lost_password', 99 );
	}
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
