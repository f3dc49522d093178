<?php
/**
 * WooCommerce's registration form. Its checkout makes accounts without this hook.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Refuses a registration.
 *
 * @param \WP_Error $errors What WooCommerce found.
 */
function check_woocommerce_registration( $errors ) {
	return refusal( 'wc-registration' ) ?? $errors;
}
