<?php
/**
 * WooCommerce's form for a lost password. It runs the action of WordPress' own form.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

add_action( 'init', __NAMESPACE__ . '\protect_woocommerce_lost_password' );

/** Adds the hooks of the form. */
function protect_woocommerce_lost_password(): void {
	if ( is_protected( 'wc-lost-password' ) ) {
		show_on( 'woocommerce_lostpassword_form', 'wc-lost-password' );
		add_action( 'lostpassword_post', __NAMESPACE__ . '\check_woocommerce_lost_password', 99 );
	}
}

/**
 * Refuses to mail a new password. Without the field of the form an administrator sends the mail.
 *
 * @param \WP_Error $errors Gets the error.
 */
function check_woocommerce_lost_password( $errors ): void {
	$is_sent = isset( $_POST['wc_reset_password'] ); // phpcs:ignore WordPress.Security.NonceVerification
	if ( $is_sent && ! did_action( 'login_init' ) ) {
		replace_errors( $errors, 'wc-lost-password' );
	}
}
