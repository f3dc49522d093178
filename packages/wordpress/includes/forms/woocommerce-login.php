<?php
/**
 * WooCommerce's log-in form.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

add_action( 'init', __NAMESPACE__ . '\protect_woocommerce_login' );

/** Adds the hooks of the form. */
function protect_woocommerce_login(): void {
	if ( is_protected( 'wc-login' ) ) {
		show_on( 'woocommerce_login_form', 'wc-login' );
		// WooCommerce handles the form at 20.
		add_action( 'wp_loaded', __NAMESPACE__ . '\check_woocommerce_login', 19 );
		add_filter( 'woocommerce_process_login_errors', fn( $errors ) => refusal( 'wc-login' ) ?? $errors, 99 );
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
