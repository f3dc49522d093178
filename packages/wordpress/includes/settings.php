<?php
/**
 * The settings: one option, over which those of the network and constants of wp-config.php take precedence.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

const OPTION = 'human_verification';

/** What the plug-in cannot work without, and the constant that may hold it instead. The secret belongs there. */
const CONSTANTS = array(
	'service' => 'HV_URL',
	'sitekey' => 'HV_SITEKEY',
	'secret'  => 'HV_SECRET',
);

/** Texts, '' where nothing is set, and `forms`, a list of keys of forms(). */
const DEFAULTS = array(
	'service'   => '',
	'sitekey'   => '',
	'secret'    => '',
	'threshold' => '',
	'proxies'   => '',
	'forms'     => array(),
);

/** Returns the settings in force, with the keys of DEFAULTS. */
function settings(): array {
	$own      = array_merge( DEFAULTS, (array) get_option( OPTION, array() ) );
	$settings = array_merge( $own, fixed_settings() );
	$forms    = array_merge( $own['forms'], network_settings()['forms'] );

	$settings['forms'] = array_values( array_unique( $forms ) );
	return $settings;
}

/** Returns what a multisite sets for each of its sites, with the keys of DEFAULTS. */
function network_settings(): array {
	$stored = is_multisite() ? (array) get_site_option( OPTION, array() ) : array();
	return array_merge( DEFAULTS, $stored );
}

/**
 * Returns the texts that an administrator of this site cannot change: those of the network, and over
 * them the constants.
 *
 * In a multisite the address always is one of them: whoever administers one site may neither bring a
 * script nor send the secret elsewhere.
 */
function fixed_settings(): array {
	$network = network_settings();
	unset( $network['forms'] );
	$fixed = array_filter( $network, 'strlen' );
	if ( is_multisite() ) {
		$fixed += array( 'service' => '' );
	}
	return with_constants( $fixed );
}

/**
 * Returns settings with the constants in the place of what is stored.
 *
 * @param array $settings Some settings.
 */
function with_constants( array $settings ): array {
	foreach ( CONSTANTS as $key => $constant ) {
		if ( defined( $constant ) ) {
			$settings[ $key ] = (string) constant( $constant );
		}
	}
	return $settings;
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
