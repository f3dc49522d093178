<?php
/**
 * Comments and registrations by WordPress' REST API, of visitors who are not logged in. WordPress refuses both
 * unless a site opens them, for an app or a page of its own. The token travels in the header svc-response, as
 * svcCaptcha.fetch() sends it.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/** The paths that are checked, also those of a site that opens registration by a route of its own at this place. */
const PATHS_OF_REST = '~^/wp/v\d+/(comments|users)~i';

/**
 * Refuses a comment or a registration before anything of it is done.
 *
 * @param mixed            $response Null, or the error of an earlier check.
 * @param array            $handler  The route that was found.
 * @param \WP_REST_Request $request  The request.
 */
function check_rest( $response, $handler, $request ) {
	$is_checked = 'POST' === $request->get_method() && 1 === preg_match( PATHS_OF_REST, $request->get_route() );
	if ( ! $is_checked || is_user_logged_in() || is_wp_error( $response ) ) {
		return $response;
	}
	return refusal_of_request( 'rest', $request->get_header( 'svc-response' ) ) ?? $response;
}
