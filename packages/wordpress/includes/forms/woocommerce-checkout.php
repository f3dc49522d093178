<?php
/**
 * WooCommerce's classic checkout, and the page on which an order is paid later.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

add_action( 'init', __NAMESPACE__ . '\protect_woocommerce_checkout' );

/** Adds the hooks of the form. */
function protect_woocommerce_checkout(): void {
	if ( is_protected( 'wc-checkout' ) ) {
		show_on( 'woocommerce_review_order_before_submit', 'wc-checkout' );
		add_action( 'woocommerce_checkout_process', __NAMESPACE__ . '\check_woocommerce_checkout' );
		show_on( 'woocommerce_pay_order_before_submit', 'wc-checkout' );
		// A notice of an error keeps WooCommerce from calling the gateway.
		add_action( 'woocommerce_before_pay_action', __NAMESPACE__ . '\check_woocommerce_checkout' );
	}
}

/** Refuses an order, or its payment. Its fields stay as they are. */
function check_woocommerce_checkout(): void {
	$refusal = refusal( 'wc-checkout' );
	if ( null !== $refusal ) {
		wc_add_notice( esc_html( $refusal->get_error_message() ), 'error' );
	}
}
