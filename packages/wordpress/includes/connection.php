<?php
/**
 * Tests the whole path from this WordPress to the service, for the settings page and for wp-cli.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

/** The fields by which forms of WooCommerce are known: they are sent to the page on which they stand. */
const FIELDS_OF_WOOCOMMERCE = array(
	'woocommerce-login-nonce'            => 'wc-login',
	'woocommerce-register-nonce'         => 'wc-registration',
	'woocommerce-lost-password-nonce'    => 'wc-lost-password',
	'woocommerce-process-checkout-nonce' => 'wc-checkout',
);

/**
 * Tests step by step: settings, health, clocks, script, secret, a challenge for each form as a page of this site asks for it, and the
 * forms of two pages.
 *
 * @return \Generator<array{0: bool, 1: string}> Whether a step is good, and a sentence; the first that is not ends the test.
 */
function test_connection(): \Generator {
	$settings = settings();
	list( 'service' => $service, 'sitekey' => $sitekey, 'secret' => $secret ) = $settings;
	$missing = array_keys( array_intersect_key( $settings, CONSTANTS ), '', true );
	if ( $missing ) {
		/* translators: %s: names of settings. */
		return yield array( false, sprintf( __( 'Settings are missing: %s.', 'human-verification' ), implode( ', ', $missing ) ) );
	}
	if ( false !== strpos( home_url() . site_url(), 'https:' ) && 0 !== strpos( $service, 'https:' ) ) {
		return yield array( false, __( 'Browsers load nothing from http:// into this site, which is https://. Give the service HTTPS, or a proxy that has it.', 'human-verification' ) );
	}
	$patience = array( 'timeout' => PATIENCE );
	$health   = wp_remote_get( $service . '/health', $patience );
	if ( 200 !== wp_remote_retrieve_response_code( $health ) ) {
		/* translators: 1: an address, 2: what the service or the network said. */
		return yield array( false, sprintf( __( 'The service is not well: %1$s/health answers %2$s.', 'human-verification' ), $service, codes_in( $health ) ) );
	}
	$apart = abs( time() - (int) strtotime( (string) wp_remote_retrieve_header( $health, 'date' ) ) );
	/* translators: %d: seconds. */
	yield array( $apart < 30, sprintf( __( 'The service answers; its clock and this one are %d seconds apart. Set both by NTP if that is more than 30.', 'human-verification' ), $apart ) );

	$script = wp_remote_get( $service . '/assets/captcha.js', $patience );
	$is_js  = 0 === strpos( (string) wp_remote_retrieve_header( $script, 'content-type' ), 'text/javascript' );
	if ( ! $is_js || 200 !== wp_remote_retrieve_response_code( $script ) ) {
		return yield array( false, __( 'The script of the widget, /assets/captcha.js, is not there. Does a proxy serve something else at this address?', 'human-verification' ) );
	}
	$codes = codes_in( post( $service . '/api/v1/siteverify', array( 'response' => 'not-a-token' ) + compact( 'secret' ) ) );
	if ( 'invalid-input-response' !== $codes ) {
		/* translators: %s: error codes. */
		return yield array( false, sprintf( __( 'siteverify answers %s. With invalid-input-secret, copy the secret again from the output of "hv site add".', 'human-verification' ), $codes ) );
	}
	yield array( true, __( 'The script is there, and siteverify knows the secret.', 'human-verification' ) );

	$is_whole = true;
	$origin   = preg_replace( '~^(https?://[^/]+).*~', '$1', strtolower( site_url() ) );
	foreach ( array_unique( array_column( array_intersect_key( forms(), array_flip( $settings['forms'] ) ), 1 ) ) as $action ) {
		$answer = wp_remote_post( $service . '/api/v1/challenge', $patience + array( 'headers' => array( 'Origin' => $origin ) ) + array( 'body' => compact( 'sitekey', 'action' ) ) );
		$is_ok  = 200 === wp_remote_retrieve_response_code( $answer );
		// The pages are looked at when everything else is right.
		$is_whole = $is_whole && $is_ok;
		/* translators: 1: an origin, 2: an action, 3: OK, or error codes. */
		yield array( $is_ok, sprintf( __( 'A page of %1$s asks for a challenge of the action "%2$s": %3$s', 'human-verification' ), $origin, $action, $is_ok ? 'OK' : codes_in( $answer ) . '. ' . __( 'Correct the sitekey here, or the hostnames and actions of its site in the service.', 'human-verification' ) ) );
	}
	if ( $is_whole ) {
		yield from test_pages();
	}
}

/** Returns the pages on which forms are looked for: the front page, the newest post, and those of WooCommerce. */
function pages_with_forms(): array {
	$pages = array_map( 'get_permalink', get_posts( array( 'numberposts' => 1 ) ) );
	array_unshift( $pages, home_url( '/' ) );
	if ( function_exists( 'wc_get_page_permalink' ) ) {
		array_push( $pages, wc_get_page_permalink( 'myaccount' ), wc_lostpassword_url(), wc_get_page_permalink( 'checkout' ) );
	}
	return array_unique( $pages );
}

/**
 * Looks for forms without a box, as a visitor sees them.
 *
 * @return \Generator<array{0: bool, 1: string}> As test_connection().
 */
function test_pages(): \Generator {
	foreach ( pages_with_forms() as $url ) {
		$page = wp_remote_get( $url, array( 'timeout' => PATIENCE ) );
		if ( 200 !== wp_remote_retrieve_response_code( $page ) ) {
			/* translators: 1: an address, 2: an error. */
			yield array( true, sprintf( __( 'The forms of %1$s were not looked at: %2$s.', 'human-verification' ), $url, codes_in( $page ) ) );
			continue;
		}
		foreach ( forms_without_box( wp_remote_retrieve_body( $page ) ) as $form ) {
			/* translators: 1: an address, 2: a key of a form. */
			return yield array( false, sprintf( __( 'A form of %1$s is checked and has no box, so visitors are refused: put [human_verification form="%2$s"] into it.', 'human-verification' ), $url, $form ) );
		}
	}
	yield array( true, __( 'No form without a box was found at the front page, the newest post and the pages of a shop.', 'human-verification' ) );
}

/**
 * Returns the protected forms that a page shows without a box. They post to a handler that is checked, and fire no hook.
 *
 * @param string $html The page.
 * @return string[] Keys of forms().
 */
function forms_without_box( string $html ): array {
	preg_match_all( '~<form\b([^>]*)>(.*?)</form>~is', $html, $found, PREG_SET_ORDER );
	$without = array();
	foreach ( $found as list( , $attributes, $inside ) ) {
		$has_action = preg_match( '~\baction\s*=\s*["\']?([^"\'\s>]*)~i', $attributes, $action );
		$form       = $has_action ? form_sent_to( html_entity_decode( $action[1] ) ) : '';
		foreach ( FIELDS_OF_WOOCOMMERCE as $field => $name ) {
			$form = false === strpos( $inside, $field ) ? $form : $name;
		}
		if ( is_protected( $form ) && false === strpos( $inside, 'svc-captcha' ) ) {
			$without[] = $form;
		}
	}
	return $without;
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
	parse_str( (string) wp_parse_url( $url, PHP_URL_QUERY ), $query );
	$forms = array(
		'login'            => 'login',
		'register'         => 'registration',
		'lostpassword'     => 'lost-password',
		'retrievepassword' => 'lost-password',
	);
	return 'wp-login.php' === $file ? $forms[ $query['action'] ?? 'login' ] ?? '' : '';
}

/**
 * Returns the error codes of an answer, its status, or what the network said.
 *
 * @param array|\WP_Error $answer An answer.
 */
function codes_in( $answer ): string {
	if ( is_wp_error( $answer ) ) {
		return $answer->get_error_message();
	}
	$codes = json_decode( wp_remote_retrieve_body( $answer ), true )['error-codes'] ?? null;
	return $codes ? implode( ', ', (array) $codes ) : 'HTTP ' . wp_remote_retrieve_response_code( $answer );
}
