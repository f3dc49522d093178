# Makes a pass: you vouch for one visitor, who then needs no score. Standard library only. Protocol: README.md beside this.
require 'json'
require 'openssl'
require 'securerandom'

# Returns a pass, made offline. `now` and `jti` are for tests. Raises ArgumentError for what is missing or wrong.
def make_pass(secret:, action:, hostname:, minutes: 30, now: nil, jti: nil)
  raise ArgumentError, 'secret' if secret.to_s.empty?
  raise ArgumentError, 'action' unless action.to_s.match?(%r{\A[A-Za-z0-9_\-/.]{1,64}\z})
  raise ArgumentError, 'hostname' unless hostname.to_s.match?(/\A[A-Za-z0-9_.\-]{1,253}\z/)
  raise ArgumentError, 'minutes' unless minutes.between?(1, 1440)

  issued = now || Time.now.to_i
  claims = { act: action, hst: hostname.downcase, iat: issued, exp: issued + minutes * 60,
             jti: jti || base64url(SecureRandom.random_bytes(16)) }
  signed = "#{spelled({ alg: 'HS256', typ: 'hv-pass+jwt' })}.#{spelled(claims)}"
  "#{signed}.#{base64url(sha256_hmac(key_of(secret), signed))}"
end

# HKDF-SHA-256 (RFC 5869) of the secret's hash, without a salt: the service holds that hash.
def key_of(secret)
  prk = sha256_hmac("\0" * 32, OpenSSL::Digest::SHA256.digest(secret))
  sha256_hmac(prk, "human-verification/1/pass\x01")
end

def sha256_hmac(key, message)
  OpenSSL::HMAC.digest('SHA256', key, message)
end

def spelled(value)
  base64url(JSON.generate(value))
end

def base64url(bytes)
  [bytes].pack('m0').tr('+/', '-_').delete('=')
end

if $PROGRAM_NAME == __FILE__
  begin
    text = ->(name) { ENV[name].to_s.empty? ? nil : ENV[name] }
    number = ->(name) { text[name] && Integer(text[name], 10) }
    puts make_pass(
      secret: text['HV_SECRET'], action: text['HV_ACTION'], hostname: text['HV_HOSTNAME'],
      minutes: number['HV_MINUTES'] || 30, now: number['HV_NOW'], jti: text['HV_ID']
    )
  rescue ArgumentError
    puts 'options'
    exit(false)
  end
end
