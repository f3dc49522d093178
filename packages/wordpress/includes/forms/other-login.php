<?php
/**
 * Log-in forms of themes and other plug-ins that call wp_signon() themselves, by admin-ajax.php or on a page of
 * their own.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Takes the password out of a refused log-in before anything reads it, as check_login_form() does. Only
 * wp_signon() runs this action: XML-RPC, REST and application passwords do not.
 *
 * @param string $username What was entered.
 * @param string $password What was entered.
 */
function check_other_login( &$username, &$password ): void {
	$is_empty   = '' === (string) $username || '' === (string) $password;
	$is_checked = did_action( 'login_init' ) || 'accepted' === ( verdicts()['wc-login']['rule'] ?? '' );
	if ( $is_empty || $is_checked ) {
		return;
	}
	$refusal = refusal( 'login-other' );
	if ( null !== $refusal ) {
		$password = '';
		// WordPress says that the password is missing, and reports no failed log-in (wp_login_failed).
		$answer = new \WP_Error( 'empty_password', $refusal->get_error_message() );
		add_filter( 'authenticate', fn() => $answer, 99 );
	}
}
