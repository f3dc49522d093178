<?php
/**
 * Updates, from the release of the plug-in and from nowhere else. A release has a description beside its
 * zip and a signature of the description, in which the sum of the zip stands. Whatever is uncertain is
 * no update.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Where the newest release describes itself. Its signature is at the same address with ".sig". */
const UPDATE_URL = 'https://github.com/human-verification/human-verification/releases/latest/download/'
	. 'human-verification-wordpress.json';

/** The public key of the releases (Ed25519, base64). Without one there are no updates. */
const UPDATE_KEY = '';

/** What a description has, each a text. */
const PARTS_OF_RELEASE = array( 'slug', 'version', 'package', 'sha256', 'requires', 'requires_php', 'tested' );

// The hostname is that of the Update URI in the head of the plug-in, which is at the same place.
add_filter( 'update_plugins_' . wp_parse_url( UPDATE_URL, PHP_URL_HOST ), __NAMESPACE__ . '\find_update', 10, 3 );
add_filter( 'upgrader_pre_download', __NAMESPACE__ . '\download_update', 10, 4 );

/**
 * Tells WordPress which release is the newest.
 *
 * @param array|false $update What another plug-in found.
 * @param array       $head   The head of a plug-in.
 * @param string      $file   The file of that plug-in.
 */
function find_update( $update, $head, $file ) {
	if ( plugin_basename( PLUGIN_FILE ) !== $file ) {
		return $update;
	}
	return newest_release() ?? $update;
}

/** Returns the description of the newest release if it is signed, else null. */
function newest_release(): ?array {
	$url = defined( 'HV_UPDATE_URL' ) ? (string) \HV_UPDATE_URL : UPDATE_URL;
	$key = defined( 'HV_UPDATE_KEY' ) ? (string) \HV_UPDATE_KEY : UPDATE_KEY;
	if ( '' === $key ) {
		return null;
	}
	$text = body_at( $url );
	if ( '' === $text || ! is_signed( $text, body_at( "$url.sig" ), $key ) ) {
		log_line( 'the newest release cannot be told: its description is not there, or its signature is not valid.' );
		return null;
	}
	$release = json_decode( $text, true );
	return is_release( $release ) ? $release : null;
}

/**
 * Returns what is at an address, or ''.
 *
 * @param string $url The address.
 */
function body_at( string $url ): string {
	$answer = wp_remote_get( $url, array( 'timeout' => PATIENCE ) );
	return 200 === wp_remote_retrieve_response_code( $answer ) ? wp_remote_retrieve_body( $answer ) : '';
}

/**
 * Reports whether a text is signed with the key of the releases.
 *
 * @param string $text      The text.
 * @param string $signature Its signature in base64.
 * @param string $key       The public key in base64.
 */
function is_signed( string $text, string $signature, string $key ): bool {
	$signature = bytes_of( trim( $signature ) );
	$key       = bytes_of( $key );
	return SODIUM_CRYPTO_SIGN_BYTES === strlen( $signature )
		&& SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES === strlen( $key )
		&& sodium_crypto_sign_verify_detached( $signature, $text, $key );
}

/**
 * Returns the bytes of a base64 text, or '' if it is none.
 *
 * @param string $text The text.
 */
function bytes_of( string $text ): string {
	return (string) base64_decode( $text, true ); // phpcs:ignore WordPress.PHP.DiscouragedPHPFunctions
}

/**
 * Reports whether a signed description is one of this plug-in, and whole.
 *
 * @param mixed $release The description.
 */
function is_release( $release ): bool {
	if ( ! is_array( $release ) || 'human-verification' !== ( $release['slug'] ?? null ) ) {
		return false;
	}
	$texts = array_filter( array_intersect_key( $release, array_flip( PARTS_OF_RELEASE ) ), 'is_string' );
	return count( $texts ) === count( PARTS_OF_RELEASE );
}

/**
 * Downloads an update, and refuses a zip that is not the one of the description.
 *
 * @param mixed        $reply    False, or what another plug-in has downloaded.
 * @param string       $package  The address of the zip.
 * @param \WP_Upgrader $upgrader WordPress' upgrader.
 * @param array        $extra    What is updated.
 */
function download_update( $reply, $package, $upgrader, $extra ) {
	if ( plugin_basename( PLUGIN_FILE ) !== ( $extra['plugin'] ?? '' ) ) {
		return $reply;
	}
	$release = newest_release();
	if ( null === $release || $release['package'] !== $package ) {
		return refused_update();
	}
	$file = download_url( $package );
	if ( ! is_wp_error( $file ) && ! hash_equals( $release['sha256'], (string) hash_file( 'sha256', $file ) ) ) {
		wp_delete_file( $file );
		return refused_update();
	}
	return $file;
}

/** Returns what an administrator reads in the place of an update. */
function refused_update(): \WP_Error {
	$sentence = __( 'This is not the zip that the release has signed, so nothing was changed.', 'human-verification' );
	return new \WP_Error( 'human_verification_update', $sentence );
}
