<?php
/**
 * The forms of Forminator. Its polls and quizzes are not checked.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Refuses an entry: the sentence stands above the form.
 *
 * @param array $errors What Forminator found.
 */
function check_forminator( $errors ) {
	$refusal = $errors ? null : refusal( 'forminator' );
	if ( null === $refusal ) {
		return $errors;
	}
	$sentence = $refusal->get_error_message();
	add_filter( 'forminator_custom_form_invalid_form_message', fn() => $sentence );
	return array( array( 'svc-response' => $sentence ) );
}
