<?php
/**
 * Removes the one option that the plug-in has stored, from each site of a multisite.
 *
 * @package HumanVerification
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;
delete_option( 'human_verification' );
array_map( fn( $site ) => delete_blog_option( $site, 'human_verification' ), is_multisite() ? get_sites( 'fields=ids&number=0' ) : array() );
