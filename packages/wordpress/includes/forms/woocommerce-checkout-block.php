<?php
/**
 * The checkout block of WooCommerce, and the Store API by which it orders. Programs call the same API
 * to try stolen cards, in every shop, so a protected checkout closes it as well.
 *
 * The token travels as `extensions.human-verification.token` in the body of the request.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** The paths that pay: the checkout of the cart, and that of an order which was placed before. */
const PATHS_THAT_PAY = '~^/wc/store(/v\d+)?/checkout~i';

add_action( 'init', __NAMESPACE__ . '\protect_checkout_block' );
add_action( 'woocommerce_blocks_loaded', __NAMESPACE__ . '\register_token_of_order' );

/** Adds the hooks of the block. */
function protect_checkout_block(): void {
	if ( ! is_protected( 'wc-checkout' ) ) {
		return;
	}
	add_filter( 'render_block_woocommerce/checkout-actions-block', __NAMESPACE__ . '\show_in_checkout_block' );
	add_action( 'wp_enqueue_scripts', __NAMESPACE__ . '\enqueue_script_of_checkout' );
}

/** Names the token to the Store API, which removes what it does not know from a request. */
function register_token_of_order(): void {
	if ( ! function_exists( 'woocommerce_store_api_register_endpoint_data' ) ) {
		return;
	}
	$token = array(
		'description' => 'Response token of the verification service.',
		'type'        => array( 'string', 'null' ),
		'optional'    => true,
	);
	woocommerce_store_api_register_endpoint_data(
		array(
			'endpoint'        => 'checkout',
			'namespace'       => 'human-verification',
			'schema_callback' => fn() => array( 'token' => $token ),
		)
	);
}

/**
 * Puts the box above the button of the block.
 *
 * @param string $html The block with the button.
 */
function show_in_checkout_block( $html ): string {
	return widget( 'wc-checkout' ) . $html;
}

/**
 * Adds the script that gives each order of a page its token. Buttons of express payments stand on the
 * pages of products and of the cart as well.
 */
function enqueue_script_of_checkout(): void {
	if ( ! function_exists( 'is_woocommerce' ) || ! ( is_woocommerce() || is_cart() || is_checkout() ) ) {
		return;
	}
	$handle   = 'human-verification-checkout';
	$file     = plugins_url( 'assets/checkout.js', PLUGIN_FILE );
	$settings = array(
		'service' => settings()['service'],
		'sitekey' => settings()['sitekey'],
		'action'  => action_of( 'wc-checkout' ),
	);
	wp_enqueue_script( $handle, $file, array( 'wp-api-fetch' ), plugin_version(), true );
	wp_add_inline_script( $handle, 'window.hvCheckout = ' . wp_json_encode( $settings ), 'before' );
}

/**
 * Refuses an order by the Store API before anything of it is done.
 *
 * @param mixed            $response Null, or the error of an earlier check.
 * @param array            $handler  The route that was found.
 * @param \WP_REST_Request $request  The request.
 */
function check_store_api( $response, $handler, $request ) {
	$is_order = 'POST' === $request->get_method() && 1 === preg_match( PATHS_THAT_PAY, $request->get_route() );
	if ( ! $is_order || is_wp_error( $response ) || is_payment_confirmed( $request ) ) {
		return $response;
	}
	$extensions = $request->get_param( 'extensions' );
	$token      = is_array( $extensions ) ? $extensions['human-verification']['token'] ?? null : null;
	return refusal_of_request( 'wc-checkout', $token ) ?? $response;
}

/**
 * Reports whether a payment needs no token, because a gateway has confirmed it.
 *
 * No request is exempt for what it says of itself: programs can say so as well. A gateway whose
 * express button places orders by its own server returns true from the filter, after it has asked
 * the payment service.
 *
 * @param \WP_REST_Request $request The request.
 */
function is_payment_confirmed( $request ): bool {
	return true === apply_filters( 'human_verification_payment_confirmed', false, $request );
}
