# frozen_string_literal: true

# Verifies a response token by all seven validation rules. Ruby 3.1, standard library.
require 'json'
require 'net/http'
require 'securerandom'
require 'timeout'

# The threshold is 0 to 1; the timeout is in seconds, for the whole exchange.
class Verify
  RULE_OF = {
    'timeout-or-duplicate' => 'fresh', 'action-mismatch' => 'action', 'low-score' => 'score'
  }.freeze
  LOST = [IOError, SystemCallError, SocketError, OpenSSL::SSL::SSLError, Net::ProtocolError,
          Net::HTTPBadResponse].freeze
  TIME = /\A[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\z/

  def initialize(url:, secret:, action:, hostnames:, threshold: 0.0, timeout: 3.0)
    @url = url
    @secret = secret
    @action = action
    @hostnames = hostnames.map(&:downcase)
    @threshold = threshold
    @timeout = timeout
  end

  # Returns 'accepted' or the rule that failed. Refuses whatever is uncertain. A field given as
  # `svc-response[]=` is an array in Rack.
  def verify(response, remoteip: nil)
    return 'options' unless @url.to_s.match?(%r{\Ahttps?://.}) && complete?
    return 'options' unless @threshold >= 0 && @threshold <= 1
    return 'options' unless @timeout.positive? && @timeout <= 60
    return 'response' unless response.is_a?(String) && response.length.between?(1, 2048)

    form = { secret: @secret, response: response, action: @action, remoteip: remoteip.to_s,
             idempotency_key: SecureRandom.uuid }
    status, body = ask_in_time(form)
    return 'transport' if status.nil?

    status == '200' ? judge(body) : 'status'
  end

  # Leaves the secret out of messages and logs.
  def inspect = "#<Verify #{@url}>"

  private

  def complete?
    [@secret, @action, *@hostnames].none? { |text| text.to_s.empty? } && @hostnames.any?
  end

  # The time-outs of Net::HTTP start again at every byte; this one is for the whole exchange.
  def ask_in_time(form)
    Timeout.timeout(@timeout) do
      # A lost answer is asked for once more: the key says that it is the same question.
      ask(form)
    rescue *LOST
      ask(form)
    end
  rescue Timeout::Error, *LOST
    nil
  end

  # Follows no redirect, and goes through the proxy of https_proxy and no_proxy.
  def ask(form)
    uri = URI("#{@url.chomp('/')}/api/v1/siteverify")
    http = Net::HTTP.new(uri.host, uri.port)
    http.use_ssl = uri.scheme == 'https'
    http.open_timeout = http.read_timeout = http.write_timeout = @timeout
    http.max_retries = 0
    plain = { 'Accept-Encoding' => 'identity' }
    answer = http.start { http.request_post(uri.path, URI.encode_www_form(form), plain) }
    raise EOFError if answer.content_length.to_i > answer.body.to_s.bytesize # it broke off

    [answer.code, answer.body]
  end

  # Applies the rules in order.
  def judge(body)
    answer = JSON.parse(body.to_s)
    return 'shape' unless answer.is_a?(Hash)
    return rejection(answer['error-codes']) unless answer['success'] == true
    return 'error-codes' unless answer['error-codes'] == []
    return 'action' unless answer['action'] == @action
    return 'hostname' unless @hostnames.include?(answer['hostname'].to_s.downcase)
    return 'score' unless passes?(answer['score'], answer['score_threshold'])

    TIME.match?(answer['challenge_ts'].to_s) ? 'accepted' : 'shape'
  rescue JSON::ParserError, EncodingError
    'shape'
  end

  def rejection(codes)
    known = codes.is_a?(Array) ? codes.filter_map { |code| RULE_OF[code] } : []
    known.first || 'success'
  end

  def passes?(score, least)
    shares = [score, least].all? { |each| each.is_a?(Numeric) && each.between?(0, 1) }
    shares && score >= least && score >= @threshold
  end
end
