<?php
/**
 * Contact Form 7 and WooCommerce. Only they fire these hooks.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

/** Tells the box of a contact form that its token was refused. Stands beside each box; the same function is added only once. */
const REFUSE_SPAM = 'window.hvRefuseSpam = window.hvRefuseSpam || function (event) {'
	. 'var box = event.target.querySelector(".svc-captcha");'
	. 'if (box && window.svcCaptcha) svcCaptcha.refused(box)'
	. '};'
	. 'document.addEventListener("wpcf7spam", window.hvRefuseSpam)';

/** Protects every contact form. A refusal counts as spam. */
function protect_contact_form_7(): void {
	if ( ! is_protected( 'contact' ) ) {
		return;
	}
	// Above the button. The form is sent by fetch and stays, so the box is told when it was refused.
	$show = function ( $html ) {
		$widget = widget( 'contact' ) . wp_get_inline_script_tag( REFUSE_SPAM, UNTOUCHED );
		$before = fn( $button ) => $widget . $button[0];
		$with   = preg_replace_callback( '~<(input|button)\b[^>]*\bwpcf7-submit\b~', $before, $html, 1, $found );
		return $found ? $with : $html . $widget;
	};
	add_filter( 'wpcf7_form_elements', $show );
	add_filter( 'wpcf7_spam', fn( $spam ) => $spam || null !== refusal( 'contact' ), 9 );
}

/**
 * Protects WooCommerce's classic forms. Its checkout makes accounts without the hook of the registration form; its reviews are
 * comments, and its lost password fires core's hook. The checkout block and express buttons have no hook, and are not protected.
 */
function protect_woocommerce(): void {
	$hooks = array(
		'wc-login'         => array( 'woocommerce_login_form', 'woocommerce_process_login_errors' ),
		'wc-registration'  => array( 'woocommerce_register_form', 'woocommerce_process_registration_errors' ),
		'wc-lost-password' => array( 'woocommerce_lostpassword_form', '' ),
		'wc-checkout'      => array( 'woocommerce_review_order_before_submit', '' ),
	);
	foreach ( array_filter( $hooks, __NAMESPACE__ . '\is_protected', ARRAY_FILTER_USE_KEY ) as $form => list( $shown, $checked ) ) {
		show_on( $shown, $form );
		add_filter( $checked, fn( $errors ) => refusal( $form ) ?? $errors, 99 );
	}
	// The fields of the order stay as they are.
	$check = function () {
		$refusal = is_protected( 'wc-checkout' ) ? refusal( 'wc-checkout' ) : null;
		if ( $refusal ) {
			wc_add_notice( esc_html( $refusal->get_error_message() ), 'error' );
		}
	};
	add_action( 'woocommerce_checkout_process', $check );
}
