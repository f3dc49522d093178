<?php
/**
 * Asks the service, and applies every rule to its answer. Whatever is uncertain is refused.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

/** Seconds to wait for the service, a second try included. The service answers within two. */
const PATIENCE = 3.0;

/** The rule behind each rejection; a code that is not here failed `success`. */
const RULES = array(
	'timeout-or-duplicate' => 'fresh',
	'action-mismatch'      => 'action',
	'low-score'            => 'score',
);

/**
 * Judges this request's token, once: the first question consumes it, and several hooks may ask.
 *
 * @param string $form A key of forms().
 * @param bool   $asks False: only what was found before.
 * @return array{0: string, 1: string} `accepted`, or the rule that failed: `options` (settings are missing), `response` (no token),
 *     `transport` or `status` (the service could not judge), or a rule of the answer; then the ticket of a second try, or ''.
 */
function verdict( string $form, bool $asks = true ): array {
	static $verdicts = array();
	if ( $asks && ! isset( $verdicts[ $form ] ) ) {
		$verdicts[ $form ] = ask( forms()[ $form ][1] );
	}
	return $verdicts[ $form ] ?? array( '', '' );
}

/**
 * Sends the token of this request to the service.
 *
 * @param string $action The action that the form expects.
 * @return array{0: string, 1: string} A verdict.
 */
function ask( string $action ): array {
	$settings = settings();
	if ( '' === $settings['service'] || '' === $settings['secret'] || ! hostnames() ) {
		return array( 'options', '' );
	}
	// Each form has WordPress' own nonce, or none; the service alone reads the token.
	$response = $_POST['svc-response'] ?? null; // phpcs:ignore WordPress.Security
	if ( ! is_string( $response ) || '' === $response || strlen( $response ) > 2048 ) {
		return array( 'response', '' );
	}
	// Not WordPress' own UUID: it is made by mt_rand(), which another plug-in may seed, and a repeat would pass as a retry.
	$uuid   = preg_replace( '/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/', '$1-$2-4$3-a$4-$5', bin2hex( random_bytes( 16 ) ) );
	$fields = array(
		'secret'          => $settings['secret'],
		'response'        => wp_unslash( $response ),
		'action'          => $action,
		'remoteip'        => visitor_address( $settings['proxies'] ),
		'idempotency_key' => $uuid,
	);
	$answer = post( $settings['service'] . '/api/v1/siteverify', array_filter( $fields, 'strlen' ) );
	if ( 200 !== wp_remote_retrieve_response_code( $answer ) ) {
		return array( is_wp_error( $answer ) ? 'transport' : 'status', '' );
	}
	$body = json_decode( wp_remote_retrieve_body( $answer ) ); // Objects stay objects: as arrays, {} and [] would be the same.
	return array( rule_of( $body, $action, (float) $settings['threshold'] ), is_string( $body->step_up ?? null ) ? $body->step_up : '' );
}

/**
 * Sends a form; once more when the answer was lost. The idempotency key tells the service that it is the same question.
 *
 * @param string                $url    Where to.
 * @param array<string, string> $fields The form.
 * @return array|\WP_Error
 */
function post( string $url, array $fields ) {
	$ends = microtime( true ) + PATIENCE;
	do {
		$options = array(
			'timeout'     => max( 0.1, $ends - microtime( true ) ),
			'redirection' => 0,
			'body'        => $fields,
		);
		$answer  = wp_remote_post( $url, $options );
		$again   = ! isset( $again ) && is_wp_error( $answer ) && microtime( true ) < $ends;
	} while ( $again );
	return $answer;
}

/**
 * Returns 'accepted', or the first rule that failed, with === only: in PHP "true" == true.
 *
 * @param mixed  $answer    What the service answered with status 200.
 * @param string $action    The action that the form expects.
 * @param float  $threshold Score from which this WordPress accepts, where it is stricter than the service. 0 to 1.
 */
function rule_of( $answer, string $action, float $threshold ): string {
	if ( ! $answer instanceof \stdClass ) {
		return 'shape';
	}
	$codes = $answer->{'error-codes'} ?? null;
	if ( true !== ( $answer->success ?? null ) ) {
		$known = array_intersect( is_array( $codes ) ? $codes : array(), array_keys( RULES ) );
		return $known ? RULES[ reset( $known ) ] : 'success';
	}
	$is_share = fn( $value ) => ( is_int( $value ) || is_float( $value ) ) && $value >= 0 && $value <= 1;
	$hostname = $answer->hostname ?? null;
	$score    = $answer->score ?? null;
	$least    = $answer->score_threshold ?? null;
	$time     = $answer->challenge_ts ?? null;
	$rules    = array(
		'error-codes' => array() === $codes,
		'action'      => ( $answer->action ?? null ) === $action,
		'hostname'    => is_string( $hostname ) && in_array( strtolower( $hostname ), hostnames(), true ),
		'score'       => $is_share( $score ) && $is_share( $least ) && $score >= $least && $score >= $threshold,
		'shape'       => is_string( $time ) && preg_match( '/\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\z/', $time ) === 1,
		'accepted'    => false,
	);
	return (string) array_search( false, $rules, true );
}
