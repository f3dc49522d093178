<?php
/**
 * The settings: one option, over which constants of wp-config.php take precedence.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

const OPTION = 'human_verification';

/** What the plug-in cannot work without, and the constant that may hold it instead. The secret belongs there. */
const CONSTANTS = array(
	'service' => 'HV_URL',
	'sitekey' => 'HV_SITEKEY',
	'secret'  => 'HV_SECRET',
);

/** Returns the forms that can be protected: the label of each, and the action that is bound into its tokens. */
function forms(): array {
	return array(
		'login'            => array( __( 'Log-in', 'human-verification' ), 'login' ),
		'registration'     => array( __( 'Registration', 'human-verification' ), 'registration' ),
		'lost-password'    => array( __( 'Lost password', 'human-verification' ), 'lost-password' ),
		'comment'          => array( __( 'Comments', 'human-verification' ), 'comment' ),
		'comment-members'  => array( __( 'Comments of visitors who are logged in', 'human-verification' ), 'comment' ),
		'contact'          => array( 'Contact Form 7', 'contact-form' ),
		'wc-login'         => array( __( 'WooCommerce: log-in', 'human-verification' ), 'login' ),
		'wc-registration'  => array( __( 'WooCommerce: registration', 'human-verification' ), 'registration' ),
		'wc-lost-password' => array( __( 'WooCommerce: lost password', 'human-verification' ), 'lost-password' ),
		'wc-review'        => array( __( 'WooCommerce: reviews', 'human-verification' ), 'review' ),
		'wc-checkout'      => array( __( 'WooCommerce: classic checkout', 'human-verification' ), 'checkout' ),
	);
}

/** Returns the settings in force: texts, '' where nothing is set, and `forms`, a list of keys of forms(). */
function settings(): array {
	$defaults = array_fill_keys( array( 'service', 'sitekey', 'secret', 'threshold', 'proxies' ), '' ) + array( 'forms' => array() );
	$settings = array_merge( $defaults, (array) get_option( OPTION, array() ) );
	foreach ( constants() as $key => $constant ) {
		$settings[ $key ] = defined( $constant ) ? (string) constant( $constant ) : '';
	}
	return $settings;
}

/** Returns the constants in force. In a multisite HV_URL always is: whoever administers one site may neither bring a script nor send the secret elsewhere. */
function constants(): array {
	return array_filter( CONSTANTS, fn( $constant ) => defined( $constant ) || ( 'HV_URL' === $constant && is_multisite() ) );
}

/**
 * Reports whether a form is protected.
 *
 * @param string $form A key of forms().
 */
function is_protected( string $form ): bool {
	return in_array( $form, settings()['forms'], true );
}

/** Returns the hostnames on which the widget of this WordPress may have run; the filter is for aliases of yours. */
function hostnames(): array {
	$hosts = array();
	foreach ( array( home_url(), site_url(), network_site_url() ) as $url ) {
		$hosts[] = strtolower( (string) wp_parse_url( $url, PHP_URL_HOST ) );
	}
	return array_values( array_unique( array_filter( apply_filters( 'human_verification_hostnames', $hosts ) ) ) );
}

/**
 * Returns what is stored of what an administrator has entered. What is wrong keeps its old value, with a sentence that says why.
 *
 * @param mixed $input The fields of the settings page.
 */
function sanitize( $input ): array {
	$new = settings();
	foreach ( array_keys( array_diff_key( $new, constants() ) ) as $key ) {
		if ( ! is_string( $input[ $key ] ?? null ) ) {
			continue;
		}
		$text = trim( $input[ $key ] );
		// The page never shows the stored secret, so an empty field leaves it as it is.
		if ( 'service' === $key && '' !== $text && ! preg_match( '~^https?://[^\s/@?#]+(/[^\s?#]*)?$~', $text ) ) {
			add_settings_error( OPTION, $key, __( 'The address of the service was not changed: expected an address such as https://verify.example.com.', 'human-verification' ) );
		} elseif ( 'threshold' === $key && '' !== $text && ! ( is_numeric( $text ) && $text >= 0 && $text <= 1 ) ) {
			add_settings_error( OPTION, $key, __( 'The threshold was not changed: expected a number from 0 to 1, or nothing.', 'human-verification' ) );
		} elseif ( 'proxies' === $key && 'direct' !== $text && array_filter( listed( $text ), fn( $one ) => ! is_range( $one ) ) ) {
			add_settings_error( OPTION, $key, __( 'The trusted proxies were not changed: expected IP addresses or ranges such as 10.0.0.0/8, separated by commas, or "direct".', 'human-verification' ) );
		} elseif ( 'secret' !== $key || '' !== $text ) {
			$new[ $key ] = 'service' === $key ? untrailingslashit( $text ) : $text;
		}
	}
	$new['forms'] = array_values( array_intersect( array_keys( forms() ), (array) ( $input['forms'] ?? array() ) ) );
	foreach ( CONSTANTS as $key => $constant ) {
		if ( '' === $new[ $key ] && $new['forms'] ) {
			/* translators: %s: name of a setting. */
			add_settings_error( OPTION, 'forms', sprintf( __( 'No form is protected yet: the setting "%s" is missing.', 'human-verification' ), $key ) );
			$new['forms'] = array();
		}
	}
	return array_diff_key( $new, constants() );
}
