<?php
/**
 * The forms of Ninja Forms, which send their fields as JSON: the token is among what it calls extra data.
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
 * @param array $entry What the form has sent.
 */
function check_ninja_forms( $entry ) {
	$refusal = refusal_of_request( 'ninja', $entry['extra']['svc-response'] ?? null );
	if ( null !== $refusal ) {
		$errors = array( 'human-verification' => esc_html( $refusal->get_error_message() ) );
		wp_send_json(
			array(
				'data'   => array(),
				'errors' => array( 'form' => $errors ),
			)
		);
	}
	// Ninja Forms keeps extra data with the entry.
	unset( $entry['extra']['svc-response'] );
	return $entry;
}
