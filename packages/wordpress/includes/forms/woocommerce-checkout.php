<?php
/**
 * WooCommerce's classic checkout. The checkout block and express buttons have no hook, and are not protected.
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
	}
}

/** Refuses an order. Its fields stay as they are. */
function check_woocommerce_checkout(): void {
	$refusal = refusal( 'wc-checkout' );
	if ( null !== $refusal ) {
		wc_add_notice( esc_html( $refusal->get_error_message() ), 'error' );
	}
}
