<?php
/**
 * The forms of Contact Form 7. A refusal counts as spam.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

add_action( 'init', __NAMESPACE__ . '\protect_contact_form_7' );

/**
 * Tells the box of a contact form that its token was refused: the form is sent by fetch, and its
 * page stays. The script stands beside each box; the same function is added only once.
 */
const REFUSE_SPAM = 'window.hvRefuseSpam = window.hvRefuseSpam || function (event) {'
	. 'var box = event.target.querySelector(".svc-captcha");'
	. 'if (box && window.svcCaptcha) svcCaptcha.refused(box)'
	. '};'
	. 'document.addEventListener("wpcf7spam", window.hvRefuseSpam)';

/** Adds the hooks of every contact form. */
function protect_contact_form_7(): void {
	if ( is_protected( 'contact' ) ) {
		add_filter( 'wpcf7_form_elements', __NAMESPACE__ . '\show_in_contact_form' );
		add_filter( 'wpcf7_spam', fn( $spam ) => $spam || null !== refusal( 'contact' ), 9 );
	}
}

/**
 * Puts the box above the button of a form, or at its end if it has no button.
 *
 * @param string $html The elements of the form.
 */
function show_in_contact_form( $html ): string {
	$widget = widget( 'contact' ) . wp_get_inline_script_tag( REFUSE_SPAM, UNTOUCHED );
	return put_above( '~<(input|button)\b[^>]*\bwpcf7-submit\b~', $widget, $html );
}
