<?php
/**
 * Removes the one option that the plug-in has stored, from each site of a multisite.
 *
 * @package HumanVerification
 */

if ( ! defined( 'WP_UNINSTALL_PLUGIN' ) ) {
	exit;
}

delete_option( 'human_verification' );
if ( is_multisite() ) {
	foreach ( get_sites( 'fields=ids&number=0' ) as $hv_site ) {
		delete_blog_option( $hv_site, 'human_verification' );
	}
}
