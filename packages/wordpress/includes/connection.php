<?php
/**
 * Tests the whole path from this WordPress to the service, for the settings page and for wp-cli.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Seconds by which the clocks of the service and of this WordPress may differ. */
const CLOCK_TOLERANCE = 30;

/**
 * Tests step by step: the service, a challenge for each form as a page of this site asks for it, and the
 * forms of some pages. A part in which something is wrong ends the test, since the next would fail by it as well.
 *
 * @return \Generator<array{0: bool, 1: string}> Whether a step is good, and a sentence.
 */
function test_connection(): \Generator {
	$settings   = settings();
	$is_reached = yield from test_service( $settings );
	if ( ! $is_reached ) {
		return;
	}
	$has_challenges = yield from test_challenges( $settings );
	if ( $has_challenges ) {
		yield from test_pages();
	}
}

/**
 * Tests the settings, the service's health and clock, its script, and the secret.
 *
 * @param array $settings The settings.
 * @return \Generator<array{0: bool, 1: string}> As test_connection(). It returns whether forms can be checked.
 */
function test_service( array $settings ): \Generator {
	$problem = problem_of_settings( $settings );
	if ( '' !== $problem ) {
		yield array( false, $problem );
		return false;
	}
	$health = get_from_service( $settings, '/health' );
	if ( 200 !== wp_remote_retrieve_response_code( $health ) ) {
		/* translators: 1: an address, 2: what the service or the network said. */
		$sentence = __( 'The service is not well: %1$s/health answers %2$s.', 'human-verification' );
		yield array( false, sprintf( $sentence, $settings['service'], codes_in( $health ) ) );
		return false;
	}
	yield test_clock( $health );
	foreach ( array( problem_of_script( $settings ), problem_of_secret( $settings ) ) as $problem ) {
		if ( '' !== $problem ) {
			yield array( false, $problem );
			return false;
		}
	}
	yield array( true, __( 'The script is there, and siteverify knows the secret.', 'human-verification' ) );
	return true;
}

/**
 * Asks for a challenge of each action of the protected forms.
 *
 * @param array $settings The settings.
 * @return \Generator<array{0: bool, 1: string}> As test_connection(). It returns whether each was given.
 */
function test_challenges( array $settings ): \Generator {
	$is_whole = true;
	foreach ( actions_in_use( $settings ) as $action ) {
		$step     = test_challenge( $settings, $action );
		$is_whole = $is_whole && $step[0];
		yield $step;
	}
	return $is_whole;
}

/**
 * Returns what is wrong with the settings, or ''.
 *
 * @param array $settings The settings.
 */
function problem_of_settings( array $settings ): string {
	$missing = missing_settings( $settings );
	if ( $missing ) {
		/* translators: %s: names of settings. */
		$sentence = __( 'Settings are missing: %s.', 'human-verification' );
		return sprintf( $sentence, implode( ', ', $missing ) );
	}
	$is_site_encrypted    = false !== strpos( home_url() . site_url(), 'https:' );
	$is_service_encrypted = 0 === strpos( $settings['service'], 'https:' );
	if ( $is_site_encrypted && ! $is_service_encrypted ) {
		$problem = __( 'Browsers load nothing from http:// into this site, which is https://.', 'human-verification' );
		$advice  = __( 'Give the service HTTPS, or a proxy that has it.', 'human-verification' );
		return "$problem $advice";
	}
	return '';
}

/**
 * Compares the clocks: tokens carry times.
 *
 * @param array $health An answer of the service.
 * @return array{0: bool, 1: string}
 */
function test_clock( array $health ): array {
	$its_time = (int) strtotime( (string) wp_remote_retrieve_header( $health, 'date' ) );
	$apart    = abs( time() - $its_time );
	/* translators: %d: seconds. */
	$sentence = __(
		'The service answers; its clock and this one are %d seconds apart. Set both by NTP if that is more than 30.',
		'human-verification'
	);
	return array( $apart < CLOCK_TOLERANCE, sprintf( $sentence, $apart ) );
}

/**
 * Returns what is wrong with the script of the widget, or ''.
 *
 * @param array $settings The settings.
 */
function problem_of_script( array $settings ): string {
	$script = get_from_service( $settings, '/assets/captcha.js' );
	$type   = (string) wp_remote_retrieve_header( $script, 'content-type' );
	if ( 200 === wp_remote_retrieve_response_code( $script ) && 0 === strpos( $type, 'text/javascript' ) ) {
		return '';
	}
	$problem = __( 'The script of the widget, /assets/captcha.js, is not there.', 'human-verification' );
	$advice  = __( 'Does a proxy serve something else at this address?', 'human-verification' );
	return "$problem $advice";
}

/**
 * Returns what is wrong with the secret, or ''. The service looks at the secret before the token.
 *
 * @param array $settings The settings.
 */
function problem_of_secret( array $settings ): string {
	$fields = array(
		'secret'   => $settings['secret'],
		'response' => 'not-a-token',
	);
	$codes  = codes_in( post( $settings['service'] . '/api/v1/siteverify', $fields ) );
	if ( 'invalid-input-response' === $codes ) {
		return '';
	}
	/* translators: %s: error codes. */
	$sentence = __(
		'siteverify answers %s. With invalid-input-secret, copy the secret again from the output of "hv site add".',
		'human-verification'
	);
	return sprintf( $sentence, $codes );
}

/**
 * Asks for a challenge as a page of this site does.
 *
 * @param array  $settings The settings.
 * @param string $action   The action of a form.
 * @return array{0: bool, 1: string}
 */
function test_challenge( array $settings, string $action ): array {
	$origin  = preg_replace( '~^(https?://[^/]+).*~', '$1', strtolower( site_url() ) );
	$options = array(
		'timeout' => PATIENCE,
		'headers' => array( 'Origin' => $origin ),
		'body'    => array(
			'sitekey' => $settings['sitekey'],
			'action'  => $action,
		),
	);
	$answer  = wp_remote_post( $settings['service'] . '/api/v1/challenge', $options );
	$is_good = 200 === wp_remote_retrieve_response_code( $answer );
	$outcome = 'OK';
	if ( ! $is_good ) {
		$advice  = __(
			'Correct the sitekey here, or the hostnames and actions of its site in the service.',
			'human-verification'
		);
		$outcome = codes_in( $answer ) . '. ' . $advice;
	}
	/* translators: 1: an origin, 2: an action, 3: OK, or error codes. */
	$sentence = __( 'A page of %1$s asks for a challenge of the action "%2$s": %3$s', 'human-verification' );
	return array( $is_good, sprintf( $sentence, $origin, $action, $outcome ) );
}

/**
 * Returns the actions of the protected forms.
 *
 * @param array $settings The settings.
 * @return string[]
 */
function actions_in_use( array $settings ): array {
	return array_unique( array_map( __NAMESPACE__ . '\action_of', $settings['forms'] ) );
}

/**
 * Asks the service.
 *
 * @param array  $settings The settings.
 * @param string $path     Where to.
 * @return array|\WP_Error
 */
function get_from_service( array $settings, string $path ) {
	return wp_remote_get( $settings['service'] . $path, array( 'timeout' => PATIENCE ) );
}

/**
 * Returns the error codes of an answer, its status, or what the network said.
 *
 * @param array|\WP_Error $answer An answer.
 */
function codes_in( $answer ): string {
	if ( is_wp_error( $answer ) ) {
		return $answer->get_error_message();
	}
	$codes = json_decode( wp_remote_retrieve_body( $answer ), true )['error-codes'] ?? null;
	return $codes ? implode( ', ', (array) $codes ) : 'HTTP ' . wp_remote_retrieve_response_code( $answer );
}
