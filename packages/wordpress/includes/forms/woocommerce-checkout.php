<?php
/**
 * WooCommerce's classic checkout, and the page on which an order is paid later.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Refuses an order, or its payment. Its fields stay as they are. */
function check_woocommerce_checkout(): void {
	$refusal = refusal( 'wc-checkout' );
	if ( null !== $refusal ) {
		wc_add_notice( esc_html( $refusal->get_error_message() ), 'error' );
	}
}
