# Verifies a response token by every rule of the specification; standard library only. Protocol: README.md beside this.
require 'json'
require 'net/http'
require 'securerandom'
require 'timeout'

RULE_OF = { 'timeout-or-duplicate' => 'fresh', 'action-mismatch' => 'action', 'low-score' => 'score' }.freeze

# Returns 'accepted' or the rule that failed. Refuses whatever is uncertain.
def verify(response, url:, secret:, action:, hostnames:, threshold: 0.0, remoteip: nil, timeout: 3.0)
  uri = URI.parse("#{url.to_s.chomp('/')}/api/v1/siteverify") rescue (return 'options')
  return 'options' unless uri.is_a?(URI::HTTP) && uri.host.to_s != ''
  return 'options' if [secret, action].any? { |text| text.to_s.empty? } || hostnames.empty?
  return 'options' unless threshold >= 0 && threshold <= 1 && timeout > 0 && timeout <= 60
  return 'response' unless response.is_a?(String) && response.length.between?(1, 2048)

  fields = { 'secret' => secret, 'response' => response, 'action' => action, 'idempotency_key' => SecureRandom.uuid }
  fields['remoteip'] = remoteip unless remoteip.to_s.empty?
  request = Net::HTTP::Post.new(uri, 'Accept-Encoding' => 'identity')
  request.set_form_data(fields)
  begin
    # Net::HTTP counts anew at every read; this ends the whole exchange.
    answer = Timeout.timeout(timeout) { ask(uri, request) || ask(uri, request) }
  rescue StandardError
    return 'transport'
  end
  return 'transport' unless answer

  answer.code == '200' ? judge(answer.body.to_s, action, hostnames, threshold) : 'status'
end

# Returns nil when the answer was lost on the way: it is asked for once more, and the idempotency_key tells the service
# that it is the same question. Follows no redirect.
def ask(uri, request)
  connection = Net::HTTP.new(uri.host, uri.port)
  connection.use_ssl = uri.scheme == 'https'
  answer = connection.request(request)
  # Net::HTTP takes what came before a connection broke for the whole of it.
  answer unless answer.content_length && answer.body.to_s.bytesize < answer.content_length
rescue Timeout::Error
  raise
rescue StandardError
  nil
end

# The rules in their order, on exact values.
def judge(body, action, hostnames, threshold)
  answer = begin
    JSON.parse(body)
  rescue JSON::ParserError
    return 'shape'
  end
  return 'shape' unless answer.is_a?(Hash)

  codes = answer['error-codes']
  unless answer['success'] == true
    known = codes.is_a?(Array) ? codes.find { |code| RULE_OF.key?(code) } : nil
    return known ? RULE_OF[known] : 'success'
  end
  return 'error-codes' unless codes == []
  return 'action' unless answer['action'] == action

  hostname = answer['hostname']
  return 'hostname' unless hostname.is_a?(String) && hostnames.map(&:downcase).include?(hostname.downcase)

  score, site_threshold = answer.values_at('score', 'score_threshold')
  return 'score' unless share?(score) && share?(site_threshold) && score >= site_threshold && score >= threshold

  time = answer['challenge_ts']
  return 'shape' unless time.is_a?(String) && time.match?(/\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\z/)

  'accepted'
end

def share?(value)
  value.is_a?(Numeric) && value >= 0 && value <= 1
end

def number(text, default)
  text.to_s.empty? ? default : Float(text)
rescue ArgumentError
  Float::NAN
end

if $PROGRAM_NAME == __FILE__
  verdict = verify(
    $stdin.read,
    url: ENV['HV_URL'], secret: ENV['HV_SECRET'], action: ENV['HV_ACTION'],
    hostnames: ENV['HV_HOSTNAMES'].to_s.split(',').reject(&:empty?),
    threshold: number(ENV['HV_THRESHOLD'], 0.0), remoteip: ENV['HV_REMOTEIP'], timeout: number(ENV['HV_TIMEOUT'], 3.0)
  )
  puts verdict
  exit(verdict == 'accepted')
end
