<?php
/**
 * The forms of WPForms.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Refuses an entry: the sentence stands below the form.
 *
 * @param array $errors    What WPForms found, by forms.
 * @param array $form_data The form.
 */
function check_wpforms( $errors, $form_data ) {
	if ( ! empty( $errors[ $form_data['id'] ] ) ) {
		return $errors;
	}
	$refusal = refusal( 'wpforms' );
	if ( null !== $refusal ) {
		$errors[ $form_data['id'] ]['footer'] = esc_html( $refusal->get_error_message() );
	}
	return $errors;
}
