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
		'wc-checkout'      => array( __( 'WooCommerce: checkout, Store API', 'human-verification' ), 'checkout' ),
	);
}

/** Returns the settings in force: texts, '' where nothing is set, and `forms`, a list of keys of forms(). */
function settings(): array {
	$defaults = array(
		'service'   => '',
		'sitekey'   => '',
		'secret'    => '',
		'threshold' => '',
		'proxies'   => '',
		'forms'     => array(),
	);
	$settings = array_merge( $defaults, (array) get_option( OPTION, array() ) );
	foreach ( constants() as $key => $constant ) {
		$settings[ $key ] = defined( $constant ) ? (string) constant( $constant ) : '';
	}
	return $settings;
}

/**
 * Returns the constants in force.
 *
 * In a multisite HV_URL always is: whoever administers one site may neither bring a script nor send
 * the secret elsewhere.
 */
function constants(): array {
	$is_in_force = fn( $constant ) => defined( $constant ) || ( 'HV_URL' === $constant && is_multisite() );
	return array_filter( CONSTANTS, $is_in_force );
}

/**
 * Returns the names of the settings that are needed and not set.
 *
 * @param array $settings As settings() returns them.
 * @return string[]
 */
function missing_settings( array $settings ): array {
	return array_keys( array_intersect_key( $settings, CONSTANTS ), '', true );
}

/**
 * Reports whether a form is protected.
 *
 * @param string $form A key of forms().
 */
function is_protected( string $form ): bool {
	return in_array( $form, settings()['forms'], true );
}

/**
 * Returns the action that is bound into the tokens of a form.
 *
 * @param string $form A key of forms().
 */
function action_of( string $form ): string {
	return forms()[ $form ][1];
}

/** Returns the hostnames on which the widget of this WordPress may have run; the filter is for aliases of yours. */
function hostnames(): array {
	$hosts = array();
	foreach ( array( home_url(), site_url(), network_site_url() ) as $url ) {
		$hosts[] = strtolower( (string) wp_parse_url( $url, PHP_URL_HOST ) );
	}
	$hosts = apply_filters( 'human_verification_hostnames', $hosts );
	return array_values( array_unique( array_filter( $hosts ) ) );
}

/** Returns the version in the head of the plug-in's main file. */
function plugin_version(): string {
	return get_file_data( PLUGIN_FILE, array( 'version' => 'Version' ) )['version'];
}
