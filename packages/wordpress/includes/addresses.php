<?php
/**
 * The visitor's address, behind proxies as well.
 *
 * @package HumanVerification
 */

namespace HumanVerification;

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

/**
 * Returns the visitor's address where it can be told safely, else '', and nothing is compared.
 *
 * @param string $proxies Addresses and ranges that may append to X-Forwarded-For. 'direct' is none of them, so
 *     the address of the connection counts.
 */
function visitor_address( string $proxies ): string {
	if ( '' === $proxies ) {
		return '';
	}
	$hops   = explode( ',', (string) ( $_SERVER['HTTP_X_FORWARDED_FOR'] ?? '' ) ); // phpcs:ignore WordPress.Security
	$hops[] = (string) ( $_SERVER['REMOTE_ADDR'] ?? '' ); // phpcs:ignore WordPress.Security
	foreach ( array_reverse( array_map( 'trim', $hops ) ) as $hop ) {
		if ( ! is_trusted( $hop, listed( $proxies ) ) ) {
			return (string) filter_var( $hop, FILTER_VALIDATE_IP );
		}
	}
	return '';
}

/**
 * Returns the parts of a setting that is a list.
 *
 * @param string $text What was entered: parts with commas, blanks or line ends between them.
 * @return string[]
 */
function listed( string $text ): array {
	return preg_split( '/[\s,]+/', $text, -1, PREG_SPLIT_NO_EMPTY );
}

/**
 * Reports whether an address is in one of the ranges.
 *
 * @param string   $address What stands in a header.
 * @param string[] $ranges  Addresses and ranges.
 */
function is_trusted( string $address, array $ranges ): bool {
	foreach ( $ranges as $range ) {
		if ( is_in_range( $address, $range ) ) {
			return true;
		}
	}
	return false;
}

/**
 * Reports whether a text is an address or a range, such as 10.0.0.0/8. A range of all addresses
 * would trust every visitor.
 *
 * @param string $text What was entered.
 */
function is_range( string $text ): bool {
	$parts  = explode( '/', $text );
	$packed = packed_address( $parts[0] );
	if ( null === $packed || count( $parts ) > 2 ) {
		return false;
	}
	$bits = $parts[1] ?? '1';
	return ctype_digit( $bits ) && $bits >= 1 && $bits <= 8 * strlen( $packed );
}

/**
 * Reports whether an address is in a range.
 *
 * @param string $address What stands in a header.
 * @param string $range   An address or a range; anything else has no address in it.
 */
function is_in_range( string $address, string $range ): bool {
	$packed = packed_address( $address );
	if ( null === $packed || ! is_range( $range ) ) {
		return false;
	}
	$parts   = explode( '/', $range );
	$network = packed_address( $parts[0] );
	if ( strlen( $packed ) !== strlen( $network ) ) {
		return false;
	}
	$bits = (int) ( $parts[1] ?? 8 * strlen( $network ) );
	return first_bits( $packed, $bits ) === first_bits( $network, $bits );
}

/**
 * Returns the first bits of an address, and zeros for the others.
 *
 * @param string $packed An address of 4 or 16 bytes.
 * @param int    $bits   How many.
 */
function first_bits( string $packed, int $bits ): string {
	$mask = '';
	foreach ( array_keys( str_split( $packed ) ) as $at ) {
		$of_this_byte = max( 0, min( 8, $bits - 8 * $at ) );
		$mask        .= chr( ( 0xff << ( 8 - $of_this_byte ) ) & 0xff );
	}
	return $packed & $mask;
}

/**
 * Returns the 4 or 16 bytes of an address, or null for anything else. Servers that listen on IPv6
 * write IPv4 as ::ffff:192.0.2.1.
 *
 * @param string $address What stands in a header.
 */
function packed_address( string $address ): ?string {
	if ( ! filter_var( $address, FILTER_VALIDATE_IP ) ) {
		return null;
	}
	$packed = inet_pton( $address );
	$mapped = str_repeat( "\0", 10 ) . "\xff\xff";
	return 16 === strlen( $packed ) && 0 === strpos( $packed, $mapped ) ? substr( $packed, 12 ) : $packed;
}
