<?php
/**
 * The widget in a form, and what its visitor reads. Nothing here depends on the visitor, so a full-page cache may keep it.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

/** Slug of the settings page. */
const PAGE = 'human-verification';

/** Keeps optimisers from delaying, joining or rewriting the script. */
const UNTOUCHED = array(
	'data-cfasync'     => 'false',
	'data-no-optimize' => '1',
	'nowprocket'       => true,
);

/**
 * Returns the widget of a form, with its script. After a refusal with a ticket it asks for the step of a second try.
 *
 * @param string $form A key of forms().
 */
function widget( string $form ): string {
	$settings = settings();
	$ticket   = verdict( $form, false )[1];
	$box      = sprintf(
		'<div class="svc-captcha" style="margin:0 0 16px" data-size="flexible" data-sitekey="%s" data-action="%s" data-api-base="%s/"%s></div>',
		esc_attr( $settings['sitekey'] ),
		esc_attr( forms()[ $form ][1] ),
		esc_attr( $settings['service'] ),
		'' === $ticket ? '' : ' data-step-up="' . esc_attr( $ticket ) . '"'
	);
	$words    = esc_html__( 'Please switch JavaScript on: without it this form cannot be sent.', 'human-verification' );
	return $box . script_of_widget() . "<noscript><p>$words</p></noscript>";
}

/**
 * Returns the script, to stand beside each box: templates may lack wp_footer(), and forms may come by AJAX. It may run twice.
 *
 * Browsers do not run the script tag of a form that a page inserts as text (innerHTML, DOMParser). They load an image there, and its
 * error adds the script. The script tag of a page that is loading has run before the event "load".
 */
function script_of_widget(): string {
	// Without a version, so that an upgrade of the service reaches visitors within minutes.
	$url = settings()['service'] . '/assets/captcha.js';
	$add = "var url = this.getAttribute('data-script');"
		. "function add() { if (!window.svcCaptcha) document.head.appendChild(document.createElement('script')).src = url }"
		. "if (document.readyState === 'complete') add(); else window.addEventListener('load', add)";
	$tag = array(
		'src'   => $url,
		'defer' => true,
	);
	$img = '<img hidden alt="" src="data:," data-script="%s" onerror="%s">';
	return wp_get_script_tag( $tag + UNTOUCHED ) . sprintf( $img, esc_attr( $url ), esc_attr( $add ) );
}

/**
 * Prints the widget of a form wherever a hook fires.
 *
 * @param string $hook An action of WordPress or of another plug-in.
 * @param string $form A key of forms().
 */
function show_on( string $hook, string $form ): void {
	add_action( $hook, fn() => print widget( $form ) ); // phpcs:ignore WordPress.Security.EscapeOutput -- widget() escapes.
}

/**
 * Returns the box for a form that fires no hook of WordPress, or '' where the form is not protected.
 *
 * @param string $form A key of forms(); `comment` stands for the comments of members as well.
 */
function widget_by_hand( string $form ): string {
	$form = 'comment' === $form ? comment_form_of( (int) get_the_ID() ) : $form;
	return is_protected( $form ) ? widget( $form ) : '';
}

// [human_verification form="login"], and do_action( 'human_verification_widget', 'login' ), which does nothing without the plug-in.
add_shortcode( 'human_verification', fn( $attributes ) => widget_by_hand( (string) ( $attributes['form'] ?? '' ) ) );
add_action( 'human_verification_widget', fn( $form ) => print widget_by_hand( (string) $form ) ); // phpcs:ignore WordPress.Security.EscapeOutput -- widget() escapes.

/**
 * Returns the error of a form that may not be processed, or null for a visitor who passed.
 *
 * The action `human_verification_refused` is for logs and counters; what keeps the service from judging goes to PHP's error log.
 *
 * @param string $form A key of forms().
 */
function refusal( string $form ): ?\WP_Error {
	$rule = verdict( $form )[0];
	if ( 'accepted' === $rule ) {
		return null;
	}
	do_action( 'human_verification_refused', $form, $rule );
	if ( ! in_array( $rule, array( 'options', 'transport', 'status', 'shape' ), true ) ) {
		return new \WP_Error( 'human_verification', __( 'We could not process your request. Please try again.', 'human-verification' ), 422 );
	}
	error_log( "human-verification: the form \"$form\" is closed: the service could not judge ($rule). Settings > Human Verification tests the connection." ); // phpcs:ignore WordPress.PHP.DevelopmentFunctions
	return new \WP_Error( 'human_verification', __( 'The check of this form is temporarily unavailable, so nothing was sent. Please try again in a moment.', 'human-verification' ), 503 );
}
