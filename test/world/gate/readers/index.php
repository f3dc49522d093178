<?php
/** Shows what PHP programs read of a request: WordPress and front controllers take the page from the query or PATH_INFO. */
$target = $_SERVER['REQUEST_URI'];
$path   = rawurldecode( explode( '?', $target )[0] );
// As the routers of frameworks: false serves the file.
if ( is_file( $_SERVER['DOCUMENT_ROOT'] . $path ) && ! str_ends_with( $path, '.php' ) ) {
	return false;
}
$paths = [ $path, $_SERVER['PATH_INFO'] ?? $path ];
foreach ( [ 'HTTP_X_ORIGINAL_URL', 'HTTP_X_REWRITE_URL' ] as $name ) {
	if ( isset( $_SERVER[ $name ] ) ) {
		$paths[] = explode( '?', $_SERVER[ $name ] )[0];
	}
}
$method = $_REQUEST['_method'] ?? $_SERVER['HTTP_X_HTTP_METHOD_OVERRIDE'] ?? $_SERVER['REQUEST_METHOD'];
$heads  = array_filter( $_SERVER, fn( $name ) => str_starts_with( $name, 'HTTP_' ), ARRAY_FILTER_USE_KEY );
$sees   = [
	'paths'   => $paths,
	'query'   => array_map( 'strval', array_keys( $_GET ) ),
	'form'    => array_map( 'strval', array_keys( $_POST ) ),
	'method'  => $method,
	'headers' => array_map( fn( $name, $value ) => [ substr( $name, 5 ), $value ], array_keys( $heads ), $heads ),
];
$body   = json_encode( $sees, JSON_INVALID_UTF8_SUBSTITUTE );
header( 'Content-Type: application/json' );
header( 'Content-Length: ' . strlen( $body ) );
echo $body;
