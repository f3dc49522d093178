<?php
/**
 * Asks the service, and applies every rule to its answer. Whatever is uncertain is refused.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Seconds to wait for the service, a second try included. The service answers within two. */
const PATIENCE = 3.0;

/** The longest token that the service signs, in characters. */
const LONGEST_TOKEN = 2048;

/** The rule behind each rejection; a code that is not here failed `success`. */
const RULES = array(
	'timeout-or-duplicate' => 'fresh',
	'action-mismatch'      => 'action',
	'low-score'            => 'score',
);

/**
 * Returns the verdicts of this request, by forms.
 *
 * @return array<string, array{rule: string, ticket: string}>
 */
function &verdicts(): array {
	static $verdicts = array();
	return $verdicts;
}

/**
 * Judges this request's token, once: the first question consumes it, and several hooks may ask.
 *
 * @param string $form A key of forms().
 * @return array{rule: string, ticket: string} As ask() returns it.
 */
function verdict( string $form ): array {
	$verdicts = &verdicts();
	if ( ! isset( $verdicts[ $form ] ) ) {
		$verdicts[ $form ] = ask( action_of( $form ), token_of_this_request() );
	}
	return $verdicts[ $form ];
}

/**
 * Returns the ticket of a second try that came with this request's verdict, or ''. It asks nothing.
 *
 * @param string $form A key of forms().
 */
function ticket_of( string $form ): string {
	return verdicts()[ $form ]['ticket'] ?? '';
}

/**
 * Sends a token to the service.
 *
 * @param string $action The action that the form expects.
 * @param string $token  The token, or '' if there is none.
 * @return array{rule: string, ticket: string} `accepted`, or the rule that failed: `options` (settings are missing),
 *     `response` (no token), `transport` or `status` (the service could not judge), or a rule of the answer; and the
 *     ticket of a second try, or ''.
 */
function ask( string $action, string $token ): array {
	$settings = settings();
	if ( '' === $settings['service'] || '' === $settings['secret'] || ! hostnames() ) {
		return without_answer( 'options' );
	}
	if ( '' === $token ) {
		return without_answer( 'response' );
	}
	$fields = array(
		'secret'          => $settings['secret'],
		'response'        => $token,
		'action'          => $action,
		'remoteip'        => visitor_address( $settings['proxies'] ),
		'idempotency_key' => new_uuid(),
	);
	$answer = post( $settings['service'] . '/api/v1/siteverify', array_filter( $fields, 'strlen' ) );
	return verdict_of_answer( $answer, $action, (float) $settings['threshold'] );
}

/**
 * Returns the verdict that an answer of the service gives.
 *
 * @param array|\WP_Error $answer    The answer.
 * @param string          $action    The action that the form expects.
 * @param float           $threshold As in rule_of().
 * @return array{rule: string, ticket: string} As ask() returns it.
 */
function verdict_of_answer( $answer, string $action, float $threshold ): array {
	if ( is_wp_error( $answer ) ) {
		return without_answer( 'transport' );
	}
	if ( 200 !== wp_remote_retrieve_response_code( $answer ) ) {
		return without_answer( 'status' );
	}
	// Objects stay objects: as arrays, {} and [] would be the same.
	$body   = json_decode( wp_remote_retrieve_body( $answer ) );
	$ticket = $body->step_up ?? null;
	return array(
		'rule'   => rule_of( $body, $action, $threshold ),
		'ticket' => is_string( $ticket ) ? $ticket : '',
	);
}

/**
 * Returns a verdict without an answer of the service, so that there is no ticket.
 *
 * @param string $rule The rule that failed.
 * @return array{rule: string, ticket: string}
 */
function without_answer( string $rule ): array {
	return array(
		'rule'   => $rule,
		'ticket' => '',
	);
}

/** Returns the token of this request, or '' if it has none that the service could have signed. */
function token_of_this_request(): string {
	// Each form has WordPress' own nonce, or none; the service alone reads the token.
	return token_in( wp_unslash( $_POST['svc-response'] ?? null ) ); // phpcs:ignore WordPress.Security
}

/**
 * Returns what a client has sent as a token, or '' if the service cannot have signed it.
 *
 * @param mixed $value What was sent.
 */
function token_in( $value ): string {
	return is_string( $value ) && strlen( $value ) <= LONGEST_TOKEN ? $value : '';
}

/**
 * Returns a UUID of version 4 (RFC 9562). WordPress' own is made by mt_rand(), which another plug-
 * in may seed: then a repeat of a token would pass as a retry of the same question.
 */
function new_uuid(): string {
	$bytes    = random_bytes( 16 );
	$bytes[6] = chr( 0x40 | ( ord( $bytes[6] ) & 0x0f ) ); // The version.
	$bytes[8] = chr( 0x80 | ( ord( $bytes[8] ) & 0x3f ) ); // The variant.
	return vsprintf( '%s%s-%s-%s-%s-%s%s%s', str_split( bin2hex( $bytes ), 4 ) );
}

/**
 * Sends a form; once more when the answer was lost. The idempotency key tells the service that it is the same question.
 *
 * @param string                $url    Where to.
 * @param array<string, string> $fields The form.
 * @return array|\WP_Error
 */
function post( string $url, array $fields ) {
	$deadline = microtime( true ) + PATIENCE;
	$answer   = post_once( $url, $fields, PATIENCE );
	$left     = $deadline - microtime( true );
	if ( is_wp_error( $answer ) && $left > 0 ) {
		$answer = post_once( $url, $fields, max( 0.1, $left ) );
	}
	return $answer;
}

/**
 * Sends a form once. A redirect is no answer: it would take the secret elsewhere.
 *
 * @param string                $url     Where to.
 * @param array<string, string> $fields  The form.
 * @param float                 $timeout Seconds.
 * @return array|\WP_Error
 */
function post_once( string $url, array $fields, float $timeout ) {
	$options = array(
		'timeout'     => $timeout,
		'redirection' => 0,
		'body'        => $fields,
	);
	return wp_remote_post( $url, $options );
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
		return rule_of_rejection( $codes );
	}
	if ( array() !== $codes ) {
		return 'error-codes';
	}
	if ( ( $answer->action ?? null ) !== $action ) {
		return 'action';
	}
	if ( ! is_own_hostname( $answer->hostname ?? null ) ) {
		return 'hostname';
	}
	if ( ! is_score_enough( $answer, $threshold ) ) {
		return 'score';
	}
	if ( ! is_time( $answer->challenge_ts ?? null ) ) {
		return 'shape';
	}
	return 'accepted';
}

/**
 * Returns the rule that failed at the service.
 *
 * @param mixed $codes The error codes of its answer.
 */
function rule_of_rejection( $codes ): string {
	foreach ( is_array( $codes ) ? $codes : array() as $code ) {
		if ( is_string( $code ) && isset( RULES[ $code ] ) ) {
			return RULES[ $code ];
		}
	}
	return 'success';
}

/**
 * Reports whether the widget ran on a page of this WordPress.
 *
 * @param mixed $hostname The hostname of an answer.
 */
function is_own_hostname( $hostname ): bool {
	return is_string( $hostname ) && in_array( strtolower( $hostname ), hostnames(), true );
}

/**
 * Reports whether the score of an answer reaches its own threshold and that of this WordPress.
 *
 * @param \stdClass $answer    The answer.
 * @param float     $threshold 0 to 1.
 */
function is_score_enough( \stdClass $answer, float $threshold ): bool {
	$score = $answer->score ?? null;
	$least = $answer->score_threshold ?? null;
	return is_share( $score ) && is_share( $least ) && $score >= $least && $score >= $threshold;
}

/**
 * Reports whether a value is a number from 0 to 1. NAN is not: every comparison with it is false.
 *
 * @param mixed $value A value of an answer.
 */
function is_share( $value ): bool {
	return ( is_int( $value ) || is_float( $value ) ) && $value >= 0 && $value <= 1;
}

/**
 * Reports whether a value is a time as the service writes it, such as "2026-11-28 12:00:00".
 *
 * @param mixed $value A value of an answer.
 */
function is_time( $value ): bool {
	return is_string( $value ) && 1 === preg_match( '/\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\z/', $value );
}
