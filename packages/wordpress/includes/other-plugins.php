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
	$shown = array(
		'wc-login'         => 'woocommerce_login_form',
		'wc-registration'  => 'woocommerce_register_form',
		'wc-lost-password' => 'woocommerce_lostpassword_form',
		'wc-checkout'      => 'woocommerce_review_order_before_submit',
	);
	foreach ( $shown as $form => $hook ) {
		if ( is_protected( $form ) ) {
			show_on( $hook, $form );
		}
	}
	if ( is_protected( 'wc-login' ) ) {
		// WooCommerce handles the form at 20.
		add_action( 'wp_loaded', __NAMESPACE__ . '\check_woocommerce_login', 19 );
		add_filter( 'woocommerce_process_login_errors', fn( $errors ) => refusal( 'wc-login' ) ?? $errors, 99 );
	}
	if ( is_protected( 'wc-registration' ) ) {
		add_filter( 'woocommerce_process_registration_errors', fn( $errors ) => refusal( 'wc-registration' ) ?? $errors, 99 );
	}
	if ( is_protected( 'wc-checkout' ) ) {
		add_action( 'woocommerce_checkout_process', __NAMESPACE__ . '\check_woocommerce_checkout' );
	}
}

/** Takes a refused log-in form away before WooCommerce handles it, which would report a failed log-in (woocommerce_login_failed). */
function check_woocommerce_login(): void {
	// WooCommerce checks the nonce.
	if ( ! isset( $_POST['login'], $_POST['woocommerce-login-nonce'] ) || ! function_exists( 'wc_add_notice' ) ) { // phpcs:ignore WordPress.Security.NonceVerification
		return;
	}
	$refusal = refusal( 'wc-login' );
	if ( $refusal ) {
		unset( $_POST['login'] );
		wc_add_notice( esc_html( $refusal->get_error_message() ), 'error' );
	}
}

/** Refuses an order. Its fields stay as they are. */
function check_woocommerce_checkout(): void {
	$refusal = refusal( 'wc-checkout' );
	if ( $refusal ) {
		wc_add_notice( esc_html( $refusal->get_error_message() ), 'error' );
	}
}
