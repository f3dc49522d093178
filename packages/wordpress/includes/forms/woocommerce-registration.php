<?php
/**
 * WooCommerce's registration form. Its checkout makes accounts without this hook.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

add_action( 'init', __NAMESPACE__ . '\protect_woocommerce_registration' );

/** Adds the hooks of the form. */
function protect_woocommerce_registration(): void {
	if ( is_protected( 'wc-registration' ) ) {
		show_on( 'woocommerce_register_form', 'wc-registration' );
		$check = fn( $errors ) => refusal( 'wc-registration' ) ?? $errors;
		add_filter( 'woocommerce_process_registration_errors', $check, 99 );
	}
}
