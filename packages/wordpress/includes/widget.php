<?php
/**
 * The widget in a form, and what its visitor reads. Nothing here depends on the visitor, so a full-page cache may keep it.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

/** Handle of the script, and slug of the settings page. */
const SCRIPT = 'human-verification';

/**
 * Returns the widget of a form. After a refusal with a ticket it asks for the step of a second try.
 *
 * @param string $form A key of forms().
 */
function widget( string $form ): string {
	$settings = settings();
	$ticket   = verdict( $form, false )[1];
	// Without a version, so that an upgrade of the service reaches visitors within minutes.
	wp_enqueue_script( SCRIPT, $settings['service'] . '/assets/captcha.js', array(), null, true ); // phpcs:ignore WordPress.WP.EnqueuedResourceParameters
	return sprintf(
		'<div class="svc-captcha" style="margin:0 0 16px" data-size="flexible" data-sitekey="%s" data-action="%s" data-api-base="%s/"%s></div><noscript><p>%s</p></noscript>',
		esc_attr( $settings['sitekey'] ),
		esc_attr( forms()[ $form ][1] ),
		esc_attr( $settings['service'] ),
		'' === $ticket ? '' : ' data-step-up="' . esc_attr( $ticket ) . '"',
		esc_html__( 'Please switch JavaScript on: without it this form cannot be sent.', 'human-verification' )
	);
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

// The attributes keep optimisers from delaying, joining or rewriting the script.
add_filter( 'script_loader_tag', fn( $tag, $handle ) => SCRIPT === $handle ? str_replace( '<script ', '<script defer data-cfasync="false" data-no-optimize="1" nowprocket ', $tag ) : $tag, 10, 2 );
