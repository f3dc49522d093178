<?php
/**
 * WordPress' registration form, and the two steps of a multisite's.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'init', __NAMESPACE__ . '\protect_registration' );

/** Adds the hooks of the forms that are not in the table. */
function protect_registration(): void {
	if ( ! is_protected( 'registration' ) ) {
		return;
	}
	// Both steps of a multisite are forms, and each has a token.
	add_filter( 'wpmu_validate_user_signup', fn( $result ) => check_signup( $result, 'generic' ), 99 );
	// A member's next site has the second step alone.
	add_filter( 'wpmu_validate_blog_signup', fn( $result ) => check_signup( $result, 'blogname' ), 99 );
}

/**
 * Refuses a registration by wp-login.php, without a word about the name or the address. Other code
 * registers users without a form.
 *
 * @param \WP_Error $errors What WordPress found.
 */
function check_registration( $errors ) {
	if ( ! did_action( 'login_init' ) ) {
		return $errors;
	}
	return refusal( 'registration' ) ?? $errors;
}

/**
 * Refuses a step of wp-signup.php. Administrators' pages call the same functions.
 *
 * @param array  $result What WordPress found.
 * @param string $code   Where the page of this step shows an error.
 */
function check_signup( array $result, string $code ): array {
	if ( ! did_action( 'before_signup_header' ) ) {
		return $result;
	}
	$refusal = refusal( 'registration' );
	if ( null !== $refusal ) {
		$result['errors'] = new \WP_Error( $code, $refusal->get_error_message() );
	}
	return $result;
}
