<?php
/**
 * Looks for forms that are checked and show no box: their visitors would be refused.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** The fields by which forms of WooCommerce are known: they are sent to the page on which they stand. */
const FIELDS_OF_WOOCOMMERCE = array(
	'woocommerce-login-nonce'            => 'wc-login',
	'woocommerce-register-nonce'         => 'wc-registration',
	'woocommerce-lost-password-nonce'    => 'wc-lost-password',
	'woocommerce-process-checkout-nonce' => 'wc-checkout',
);

/** The forms of wp-login.php by the action in their address. */
const FORMS_OF_WP_LOGIN = array(
	'login'            => 'login',
	'register'         => 'registration',
	'lostpassword'     => 'lost-password',
	'retrievepassword' => 'lost-password',
);

/** Seconds to wait for a page of this WordPress, which may be slower than the service. */
const PATIENCE_WITH_PAGES = 10;

/**
 * Looks for forms without a box, as a visitor sees them.
 *
 * @return \Generator<array{0: bool, 1: string}> As test_connection().
 */
function test_pages(): \Generator {
	foreach ( pages_with_forms() as $url ) {
		$page = wp_remote_get( $url, array( 'timeout' => PATIENCE_WITH_PAGES ) );
		if ( 200 !== wp_remote_retrieve_response_code( $page ) ) {
			/* translators: 1: an address, 2: an error. */
			$sentence = __( 'The forms of %1$s were not looked at: %2$s.', 'human-verification' );
			yield array( true, sprintf( $sentence, $url, codes_in( $page ) ) );
			continue;
		}
		$forms = forms_without_box( wp_remote_retrieve_body( $page ) );
		if ( $forms ) {
			/* translators: %s: an address. */
			$problem = __( 'A form of %s is checked and has no box, so visitors are refused:', 'human-verification' );
			/* translators: %s: a key of a form. */
			$advice = __( 'put [human_verification form="%s"] into it.', 'human-verification' );
			yield array( false, sprintf( $problem, $url ) . ' ' . sprintf( $advice, $forms[0] ) );
			return;
		}
	}
	$sentence = __(
		'No form without a box was found at the front page, the newest post and the pages of a shop.',
		'human-verification'
	);
	yield array( true, $sentence );
}

/** Returns the pages on which forms are looked for: the front page, the newest post, and those of WooCommerce. */
function pages_with_forms(): array {
	$pages = array( home_url( '/' ) );
	foreach ( get_posts( array( 'numberposts' => 1 ) ) as $post ) {
		$pages[] = get_permalink( $post );
	}
	if ( function_exists( 'wc_get_page_permalink' ) ) {
		$pages[] = wc_get_page_permalink( 'myaccount' );
		$pages[] = wc_lostpassword_url();
		$pages[] = wc_get_page_permalink( 'checkout' );
	}
	return array_unique( $pages );
}

/**
 * Returns the protected forms that a page shows without a box. They post to a handler that is
 * checked, and fire no hook.
 *
 * @param string $html The page.
 * @return string[] Keys of forms().
 */
function forms_without_box( string $html ): array {
	preg_match_all( '~<form\b([^>]*)>(.*?)</form>~is', $html, $tags, PREG_SET_ORDER );
	$without = array();
	foreach ( $tags as list( , $attributes, $inside ) ) {
		$form    = form_of_woocommerce( $inside );
		$form    = '' === $form ? form_sent_to( address_in( $attributes ) ) : $form;
		$has_box = false !== strpos( $inside, 'svc-captcha' );
		if ( is_protected( $form ) && ! $has_box ) {
			$without[] = $form;
		}
	}
	return $without;
}

/**
 * Returns the form of WooCommerce that has one of its fields, or ''.
 *
 * @param string $inside What stands in the form.
 */
function form_of_woocommerce( string $inside ): string {
	foreach ( FIELDS_OF_WOOCOMMERCE as $field => $form ) {
		if ( false !== strpos( $inside, $field ) ) {
			return $form;
		}
	}
	return '';
}

/**
 * Returns the address to which a form is sent, or ''.
 *
 * @param string $attributes The attributes of the form.
 */
function address_in( string $attributes ): string {
	$has_action = preg_match( '~\baction\s*=\s*["\']?([^"\'\s>]*)~i', $attributes, $match );
	return $has_action ? html_entity_decode( $match[1] ) : '';
}

/**
 * Returns the form that is sent to an address, or ''.
 *
 * @param string $url The action of a form.
 */
function form_sent_to( string $url ): string {
	$file = basename( (string) wp_parse_url( $url, PHP_URL_PATH ) );
	if ( 'wp-comments-post.php' === $file ) {
		return 'comment';
	}
	if ( 'wp-login.php' !== $file ) {
		return '';
	}
	parse_str( (string) wp_parse_url( $url, PHP_URL_QUERY ), $query );
	return FORMS_OF_WP_LOGIN[ $query['action'] ?? 'login' ] ?? '';
}
