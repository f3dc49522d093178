<?php
/**
 * WooCommerce's log-in form.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'init', __NAMESPACE__ . '\protect_woocommerce_login' );

/** Adds the hook of the form that is not in the table. */
function protect_woocommerce_login(): void {
	if ( is_protected( 'wc-login' ) ) {
		// WooCommerce handles the form at 20.
		add_action( 'wp_loaded', __NAMESPACE__ . '\check_woocommerce_login', 19 );
	}
}

/**
 * Takes a refused form away before WooCommerce handles it, which would report a failed log-in
 * (woocommerce_login_failed).
 */
function check_woocommerce_login(): void {
	// WooCommerce checks the nonce.
	$fields  = $_POST; // phpcs:ignore WordPress.Security.NonceVerification
	$is_sent = isset( $fields['login'], $fields['woocommerce-login-nonce'] );
	if ( ! $is_sent || ! function_exists( 'wc_add_notice' ) ) {
		return;
	}
	$refusal = refusal( 'wc-login' );
	if ( null !== $refusal ) {
		unset( $_POST['login'] );
		wc_add_notice( esc_html( $refusal->get_error_message() ), 'error' );
	}
}

/**
 * Refuses a log-in, also where another plug-in has WooCommerce handle the form.
 *
 * @param \WP_Error $errors What WooCommerce found.
 */
function check_errors_of_woocommerce_login( $errors ) {
	return refusal( 'wc-login' ) ?? $errors;
}
