<?php
/**
 * What a monitoring system and the list of an agency are told of a site.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Returns the state of the current site: `inactive` (a site of a multisite without the plug-in), `off` (no
 * form is protected), `ok`, `settings` (some are missing) or `service` (it does not answer: the protected
 * forms are closed).
 *
 * @return array{state: string, version: string, service: string, forms: string}
 */
function status(): array {
	$settings = settings();
	return array(
		'state'   => state_of( $settings ),
		'version' => plugin_version(),
		'service' => $settings['service'],
		'forms'   => implode( ',', $settings['forms'] ),
	);
}

/**
 * Returns the first word of the status.
 *
 * @param array $settings The settings.
 */
function state_of( array $settings ): string {
	if ( ! is_active_here() ) {
		return 'inactive';
	}
	if ( ! $settings['forms'] ) {
		return 'off';
	}
	if ( missing_settings( $settings ) ) {
		return 'settings';
	}
	$is_well = 200 === wp_remote_retrieve_response_code( get_from_service( $settings, '/health' ) );
	return $is_well ? 'ok' : 'service';
}

/** Reports whether the current site runs the plug-in: a command speaks of other sites of a multisite as well. */
function is_active_here(): bool {
	require_once ABSPATH . 'wp-admin/includes/plugin.php';
	return is_plugin_active( plugin_basename( PLUGIN_FILE ) );
}

/**
 * Returns the sitekey and the secret of each hostname, from what "hv site add --json" printed.
 *
 * @param string $json The file.
 * @return array<string, array{sitekey: string, secret: string}>
 */
function sites_in( string $json ): array {
	$sites = array();
	foreach ( (array) json_decode( $json, true ) as $site ) {
		$keys = array_intersect_key( (array) $site, array_flip( array( 'sitekey', 'secret' ) ) );
		foreach ( $site['hostnames'] ?? array() as $hostname ) {
			$sites[ $hostname ] = $keys;
		}
	}
	return $sites;
}
