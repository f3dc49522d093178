<?php
/**
 * WooCommerce's form for a lost password. It runs the action of WordPress' own form.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
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
