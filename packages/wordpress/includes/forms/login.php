<?php
/**
 * WordPress' log-in form. XML-RPC, REST and application passwords call the same filter: they are
 * not forms, and are let through.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'init', __NAMESPACE__ . '\protect_login' );

/** Adds the hooks of the form that are not in the table. */
function protect_login(): void {
	if ( ! is_protected( 'login' ) ) {
		return;
	}
	// The same form in a theme's widget or block, which is sent to wp-login.php as well.
	add_filter( 'login_form_middle', fn( $html ) => $html . widget( 'login' ) );
	add_action( 'login_footer', __NAMESPACE__ . '\show_way_in' );
	add_action( 'login_init', __NAMESPACE__ . '\check_login_form', PHP_INT_MIN );
}

/**
 * Takes the password out of a refused log-in form before anything reads it. To WordPress and to
 * plug-ins that limit log-ins its field was left empty: no password was tried, so there is no
 * failure to count, and the answer cannot depend on the password.
 *
 * WordPress keeps the name that was entered.
 */
function check_login_form(): void {
	// WordPress' log-in form has no nonce.
	$is_empty = empty( $_POST['log'] ) || empty( $_POST['pwd'] ); // phpcs:ignore WordPress.Security.NonceVerification
	if ( $is_empty || is_open() ) {
		return;
	}
	$refusal = refusal( 'login' );
	if ( null !== $refusal ) {
		$_POST['pwd']    = '';
		$_REQUEST['pwd'] = '';
		answer_login( $refusal );
	}
}

/**
 * Refuses a log-in by wp-login.php, however its password was read, with the same words whether the
 * password was right or wrong. At 20 WordPress checks the password, and would replace an earlier error.
 *
 * @param mixed  $user     What WordPress found: a user, an error, or null.
 * @param string $username What was entered.
 * @param string $password What was entered.
 */
function check_login( $user, $username, $password ) {
	if ( ! did_action( 'login_init' ) || '' === (string) $username || '' === (string) $password ) {
		return $user;
	}
	$refusal = refusal( 'login' );
	if ( null === $refusal ) {
		return $user;
	}
	if ( is_open() ) {
		return log_in_without_check( $user, $refusal );
	}
	answer_login( $refusal );
	// WordPress reports no failed log-in (wp_login_failed) with this code.
	return new \WP_Error( 'empty_password', $refusal->get_error_message() );
}

/**
 * Lets an administrator in whose password is right, although the check refused: HV_OPEN is set.
 *
 * @param mixed     $user    What WordPress found: a user, an error, or null.
 * @param \WP_Error $refusal The answer for everybody else.
 */
function log_in_without_check( $user, \WP_Error $refusal ) {
	$is_password_right = $user instanceof \WP_User;
	if ( $is_password_right && user_can( $user, 'manage_options' ) ) {
		log_line( 'an administrator logged in without the check, because HV_OPEN is set in wp-config.php' );
		return $user;
	}
	answer_login( $refusal );
	// Without the check only plug-ins that limit log-ins are left against guessing, so they must
	// hear of each wrong password.
	$code = $is_password_right ? 'empty_password' : 'incorrect_password';
	return new \WP_Error( $code, $refusal->get_error_message() );
}

/**
 * Sets what the log-in page answers. Its status is not that of a wrong password, 200, which
 * programs count in the web server's log.
 *
 * @param \WP_Error $refusal The answer.
 */
function answer_login( \WP_Error $refusal ): void {
	status_header( (int) $refusal->get_error_data() );
	// Last, since plug-ins that hide what was wrong put one sentence in place of every other.
	add_filter( 'login_errors', fn() => esc_html( $refusal->get_error_message() ), PHP_INT_MAX );
}

/** Prints a button that the widget does not hold, after the form, so that Enter presses the usual one. */
function show_way_in(): void {
	if ( ! is_open() || ! did_action( 'login_form' ) ) {
		return;
	}
	echo '<p style="text-align:center"><button form="loginform" class="button" data-svc-captcha-skip>';
	esc_html_e( 'Administrators: log in without the check', 'human-verification' );
	echo '</button></p>';
}

/** Reports whether `define( 'HV_OPEN', 'login' )` lets administrators log in without the check. */
function is_open(): bool {
	return defined( 'HV_OPEN' ) && 'login' === \HV_OPEN;
}
