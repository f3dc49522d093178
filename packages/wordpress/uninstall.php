<?php
/**
 * Removes the options that the plug-in has stored: of each site, and of the network of a multisite.
 *
 * @package HumanVerification
 */

if ( ! defined( 'WP_UNINSTALL_PLUGIN' ) ) {
	exit;
}

delete_option( 'human_verification' );
delete_option( 'human_verification_before' );
delete_site_option( 'human_verification' );
if ( is_multisite() ) {
	foreach ( get_sites( 'fields=ids&number=0' ) as $human_verification_site ) {
		delete_blog_option( $human_verification_site, 'human_verification' );
		delete_blog_option( $human_verification_site, 'human_verification_before' );
	}
}
