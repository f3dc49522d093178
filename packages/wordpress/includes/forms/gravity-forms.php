<?php
/**
 * The forms of Gravity Forms. An entry that is saved for later is not checked until it is sent.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Refuses an entry of a form with one page, which stays as it was filled in.
 *
 * A form with several pages is validated at each, and its token counts once: abort_gravity_forms() checks it.
 *
 * @param array $result What Gravity Forms found, and the form.
 */
function check_gravity_forms( $result ) {
	$has_pages = in_array( 'page', wp_list_pluck( $result['form']['fields'], 'type' ), true );
	$refusal   = $result['is_valid'] && ! $has_pages ? refusal( 'gravity' ) : null;
	if ( null !== $refusal ) {
		$result['is_valid'] = false;
		$html               = markup_of_refusal( $refusal );
		add_filter( 'gform_validation_message', fn() => $html, 99 );
	}
	return $result;
}

/**
 * Ends the sending of an entry before it is saved, with the sentence in place of the confirmation.
 *
 * @param bool $aborts What others found.
 */
function abort_gravity_forms( $aborts ) {
	$refusal = $aborts ? null : refusal( 'gravity' );
	if ( null === $refusal ) {
		return $aborts;
	}
	$html = markup_of_refusal( $refusal );
	add_filter( 'gform_confirmation', fn() => $html, 99 );
	return true;
}

/**
 * Returns a refusal as Gravity Forms marks up an error.
 *
 * @param \WP_Error $refusal The refusal.
 */
function markup_of_refusal( \WP_Error $refusal ): string {
	return '<div class="validation_error" role="alert">' . esc_html( $refusal->get_error_message() ) . '</div>';
}
