<?php
/**
 * WooCommerce's classic checkout, the page on which an order is paid later, and cards that customers add in their
 * account: programs try stolen cards in each of them.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Refuses an order, or its payment, and reports whether it may go on. Its fields stay as they are. */
function check_woocommerce_checkout(): bool {
	$refusal = refusal( 'wc-checkout' );
	if ( null === $refusal ) {
		return true;
	}
	wc_add_notice( esc_html( $refusal->get_error_message() ), 'error' );
	return false;
}

/**
 * Refuses a card that a customer adds, before its gateway is asked.
 *
 * @param bool $is_valid What others found.
 */
function check_added_payment_method( $is_valid ): bool {
	return $is_valid && check_woocommerce_checkout();
}
