<?php
/**
 * Checks what an administrator enters. A wrong value leaves the old one as it is, and a sentence says why.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Returns what is stored of what the administrator of a site has entered.
 *
 * @param mixed $input The fields of the settings page.
 */
function sanitize( $input ): array {
	$fixed        = fixed_settings();
	$new          = sanitize_texts( (array) $input, settings(), $fixed );
	$new['forms'] = sanitize_forms( (array) ( $input['forms'] ?? array() ), $new );
	return array_diff_key( $new, $fixed );
}

/**
 * Returns the settings with the texts that were entered in the place of the old ones.
 *
 * @param array $input    What was entered.
 * @param array $settings The settings so far.
 * @param array $fixed    The settings that stay as they are.
 */
function sanitize_texts( array $input, array $settings, array $fixed ): array {
	$sanitizers = array(
		'service'   => __NAMESPACE__ . '\sanitize_service',
		'sitekey'   => 'strval',
		'secret'    => __NAMESPACE__ . '\sanitize_secret',
		'threshold' => __NAMESPACE__ . '\sanitize_threshold',
		'proxies'   => __NAMESPACE__ . '\sanitize_proxies',
	);
	foreach ( array_diff_key( $sanitizers, $fixed ) as $key => $sanitize_text ) {
		if ( is_string( $input[ $key ] ?? null ) ) {
			$settings[ $key ] = $sanitize_text( trim( $input[ $key ] ) ) ?? $settings[ $key ];
		}
	}
	return $settings;
}

/**
 * Returns the address of the service without a slash at its end; null if it is wrong.
 *
 * @param string $text What was entered.
 */
function sanitize_service( string $text ): ?string {
	// A name and password, a query or a fragment would end in the addresses that are built from it.
	if ( '' !== $text && ! preg_match( '~^https?://[^\s/@?#]+(/[^\s?#]*)?$~', $text ) ) {
		$sentence = __(
			'The address of the service was not changed: expected an address such as https://verify.example.com.',
			'human-verification'
		);
		add_settings_error( OPTION, 'service', $sentence );
		return null;
	}
	return untrailingslashit( $text );
}

/**
 * Returns the secret; null if the field was left empty, because the page never shows the stored secret.
 *
 * @param string $text What was entered.
 */
function sanitize_secret( string $text ): ?string {
	return '' === $text ? null : $text;
}

/**
 * Returns the threshold; null if it is wrong.
 *
 * @param string $text What was entered.
 */
function sanitize_threshold( string $text ): ?string {
	$is_share = is_numeric( $text ) && $text >= 0 && $text <= 1;
	if ( '' !== $text && ! $is_share ) {
		$sentence = __(
			'The threshold was not changed: expected a number from 0 to 1, or nothing.',
			'human-verification'
		);
		add_settings_error( OPTION, 'threshold', $sentence );
		return null;
	}
	return $text;
}

/**
 * Returns the trusted proxies; null if one of them is wrong.
 *
 * @param string $text What was entered.
 */
function sanitize_proxies( string $text ): ?string {
	if ( 'direct' === $text || is_list_of_ranges( $text ) ) {
		return $text;
	}
	$problem  = __( 'The trusted proxies were not changed:', 'human-verification' );
	$expected = __(
		'expected IP addresses or ranges such as 10.0.0.0/8, separated by commas, or "direct".',
		'human-verification'
	);
	add_settings_error( OPTION, 'proxies', "$problem $expected" );
	return null;
}

/**
 * Reports whether every part is an address or a range. A typing error would match no proxy: then
 * the proxy's own address would be sent as that of every visitor, who would all be refused.
 *
 * @param string $text What was entered.
 */
function is_list_of_ranges( string $text ): bool {
	foreach ( listed( $text ) as $one ) {
		if ( ! is_range( $one ) ) {
			return false;
		}
	}
	return true;
}

/**
 * Returns the forms to protect: none while a setting is missing without which every visitor would be refused.
 *
 * @param array $chosen   The boxes that were ticked.
 * @param array $settings The other settings, as they will be stored.
 * @return string[] Keys of forms().
 */
function sanitize_forms( array $chosen, array $settings ): array {
	$forms   = array_values( array_intersect( array_keys( forms() ), $chosen ) );
	$missing = missing_settings( $settings );
	if ( ! $forms || ! $missing ) {
		return $forms;
	}
	/* translators: %s: name of a setting. */
	$sentence = __( 'No form is protected yet: the setting "%s" is missing.', 'human-verification' );
	add_settings_error( OPTION, 'forms', sprintf( $sentence, $missing[0] ) );
	return array();
}
