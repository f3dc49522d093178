<?php
/**
 * The widget in a form. Nothing here depends on the visitor, so a full-page cache may keep it.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** Keeps optimisers from delaying, joining or rewriting the script. */
const UNTOUCHED = array(
	'data-cfasync'     => 'false',
	'data-no-optimize' => '1',
	'nowprocket'       => true,
);

/** Adds the script when the page has loaded without it. It runs as the error handler of an image. */
const ADD_SCRIPT = "var url = this.getAttribute('data-script');"
	. 'function add() {'
	. "if (!window.svcCaptcha) document.head.appendChild(document.createElement('script')).src = url"
	. '}'
	. "if (document.readyState === 'complete') add(); else window.addEventListener('load', add)";

/**
 * Returns the widget of a form, with its script. After a refusal with a ticket it asks for the step of a second try.
 *
 * @param string $form A key of forms().
 */
function widget( string $form ): string {
	enqueue_script( forms()[ $form ]['script'] ?? '' );
	$settings = settings();
	$ticket   = ticket_of( $form );
	$box      = sprintf(
		'<div class="svc-captcha" style="margin:0 0 16px" data-size="flexible"'
		. ' data-sitekey="%s" data-action="%s" data-api-base="%s/"%s></div>',
		esc_attr( $settings['sitekey'] ),
		esc_attr( action_of( $form ) ),
		esc_attr( $settings['service'] ),
		'' === $ticket ? '' : ' data-step-up="' . esc_attr( $ticket ) . '"'
	);
	$sentence = esc_html__(
		'Please switch JavaScript on: without it this form cannot be sent.',
		'human-verification'
	);
	return $box . script_of_widget() . "<noscript><p>$sentence</p></noscript>";
}

/**
 * Adds a script that works between a box and the script of a form, to the foot of the page.
 *
 * @param string $name Of a file of assets/, or '' for none.
 */
function enqueue_script( string $name ): void {
	if ( '' !== $name ) {
		$file = plugins_url( "assets/$name.js", PLUGIN_FILE );
		wp_enqueue_script( "human-verification-$name", $file, array( 'jquery' ), plugin_version(), true );
	}
}

/**
 * Returns the script, to stand beside each box: templates may lack wp_footer(), and forms may come
 * by AJAX. It may run twice.
 *
 * Browsers do not run the script tag of a form that a page inserts as text (innerHTML, DOMParser).
 * They load an image there, and its error adds the script. The script tag of a page that is loading
 * has run before the event "load".
 */
function script_of_widget(): string {
	// Without a version, so that an upgrade of the service reaches visitors within minutes.
	$url        = settings()['service'] . '/assets/captcha.js';
	$attributes = array(
		'src'   => $url,
		'defer' => true,
	);
	$image      = sprintf(
		'<img hidden alt="" src="data:," data-script="%s" onerror="%s">',
		esc_attr( $url ),
		esc_attr( ADD_SCRIPT )
	);
	return wp_get_script_tag( $attributes + UNTOUCHED ) . $image;
}

/**
 * Prints the widget of a form wherever a hook fires, before what others print at 10, such as a button.
 *
 * @param string $hook An action of WordPress or of another plug-in.
 * @param string $form A key of forms().
 */
function show_on( string $hook, string $form ): void {
	// widget() escapes.
	add_action( $hook, fn() => print widget( $form ), 9 ); // phpcs:ignore WordPress.Security.EscapeOutput
}

/**
 * Puts a box above the first tag of a form that a pattern finds, or at its end if it finds none.
 *
 * @param string $pattern Finds the tag.
 * @param string $box     The box.
 * @param string $html    The form.
 */
function put_above( string $pattern, string $box, string $html ): string {
	$with = preg_replace_callback( $pattern, fn( $tag ) => $box . $tag[0], $html, 1, $found );
	return $found ? $with : $html . $box;
}

/**
 * Returns the box for a form that fires no hook of WordPress, or '' where the form is not protected.
 *
 * @param string $form A key of forms(); `comment` stands for the comments of members as well.
 */
function widget_by_hand( string $form ): string {
	if ( 'comment' === $form ) {
		$form = comment_form_of( (int) get_the_ID() );
	}
	return is_protected( $form ) ? widget( $form ) : '';
}

/**
 * Runs for [human_verification form="login"].
 *
 * @param array|string $attributes What stands in the shortcode; '' if nothing does.
 */
function shortcode( $attributes ): string {
	return widget_by_hand( (string) ( $attributes['form'] ?? '' ) );
}

/**
 * Runs for do_action( 'human_verification_widget', 'login' ), which does nothing without the plug-in.
 *
 * @param mixed $form A key of forms().
 */
function template_tag( $form ): void {
	echo widget_by_hand( (string) $form ); // phpcs:ignore WordPress.Security.EscapeOutput -- widget() escapes.
}

add_shortcode( 'human_verification', __NAMESPACE__ . '\shortcode' );
add_action( 'human_verification_widget', __NAMESPACE__ . '\template_tag' );
