<?php
/**
 * The forms of Fluent Forms, which send their fields as one text: the token is not among those of the request.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Refuses an entry.
 *
 * @param array $errors What Fluent Forms found, by fields.
 * @param array $fields What the form has sent.
 */
function check_fluent_forms( $errors, $fields ) {
	if ( $errors ) {
		return $errors;
	}
	$refusal = refusal_of_request( 'fluent', $fields['svc-response'] ?? null );
	if ( null === $refusal ) {
		return $errors;
	}
	// Fluent Forms shows an error of a field that it does not find below the form.
	return array( 'human-verification' => array( $refusal->get_error_message() ) );
}
