# frozen_string_literal: true

require 'json'
require_relative '../../../../examples/verify/verify'

$stdout.sync = true
$stdin.each_line do |line|
  call = JSON.parse(line, symbolize_names: true)
  response = call.delete(:response)
  remoteip = call.delete(:remoteip)
  %i[threshold timeout].each { |name| call[name] = call[name] == 'NaN' ? Float::NAN : Float(call[name]) }
  puts Verify.new(**call).verify(response, remoteip: remoteip)
end
