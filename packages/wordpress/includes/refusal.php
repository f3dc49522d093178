<?php
/**
 * What a refused visitor reads.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Rules that fail where the service could not judge: the visitor did nothing wrong. */
const NOT_JUDGED = array( 'options', 'transport', 'status', 'shape' );

/**
 * Returns the error of a form that may not be processed, or null for a visitor who passed. Its data is the HTTP status.
 *
 * The action `human_verification_refused` has the form and the rule, for logs and counters. What
 * keeps the service from judging goes to PHP's error log. Neither has a token or a secret.
 *
 * @param string $form A key of forms().
 */
function refusal( string $form ): ?\WP_Error {
	return refusal_by( verdict( $form )['rule'], $form );
}

/**
 * Returns the error of a request of a REST API that may not be processed, or null for a visitor who passed.
 *
 * Its token is asked about even if another one was accepted before: a batch has several requests, and
 * each needs a token of its own.
 *
 * @param string $form  A key of forms().
 * @param mixed  $token What the request has in the place of a token.
 */
function refusal_of_request( string $form, $token ): ?\WP_Error {
	$verdict = ask( action_of( $form ), token_in( $token ) );
	$refusal = refusal_by( $verdict['rule'], $form );
	if ( null === $refusal ) {
		return null;
	}
	$data = array( 'status' => (int) $refusal->get_error_data() );
	if ( '' !== $verdict['ticket'] ) {
		$data['step_up'] = $verdict['ticket'];
	}
	return new \WP_Error( $refusal->get_error_code(), $refusal->get_error_message(), $data );
}

/**
 * Returns the error that belongs to a verdict.
 *
 * @param string $rule The rule that failed, or 'accepted'.
 * @param string $form A key of forms().
 */
function refusal_by( string $rule, string $form ): ?\WP_Error {
	if ( 'accepted' === $rule ) {
		return null;
	}
	do_action( 'human_verification_refused', $form, $rule );
	if ( ! in_array( $rule, NOT_JUDGED, true ) ) {
		$sentence = __( 'We could not process your request. Please try again.', 'human-verification' );
		return new \WP_Error( 'human_verification', $sentence, 422 );
	}
	log_line(
		"the form \"$form\" is closed: the service could not judge ($rule). "
		. 'Settings > Human Verification tests the connection.'
	);
	$sentence = __(
		'The check of this form is temporarily unavailable, so nothing was sent. Please try again in a moment.',
		'human-verification'
	);
	return new \WP_Error( 'human_verification', $sentence, 503 );
}

/**
 * Puts the refusal in place of the errors of a form, so that no word about a name or an address is left.
 *
 * @param \WP_Error $errors The errors that WordPress found.
 * @param string    $form   A key of forms().
 */
function replace_errors( \WP_Error $errors, string $form ): void {
	$refusal = refusal( $form );
	if ( null === $refusal ) {
		return;
	}
	foreach ( $errors->get_error_codes() as $code ) {
		$errors->remove( $code );
	}
	$errors->add( $refusal->get_error_code(), $refusal->get_error_message() );
}

/**
 * Writes a line to PHP's error log.
 *
 * @param string $sentence Without a token, a secret or a name.
 */
function log_line( string $sentence ): void {
	error_log( "human-verification: $sentence" ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
}
