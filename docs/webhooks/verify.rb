require "openssl"

module Webhook
  TOLERANCE_SECONDS = 300

  # Reports whether a delivery is genuine.
  #
  # body:: the raw body, as received
  # header:: the value of Service-Signature, "" if there is none
  # secrets:: usually one, with its whsec_; any of them may match
  def self.genuine?(body, header, secrets, now: Time.now)
    fields = header.b.split(",").map { |item| item.split("=", 2) }
    times = fields.filter_map { |name, value| value if name == "t" }
    signatures = fields.filter_map { |name, value| value if name == "v1" }
    return false unless times.one? && times.first.match?(/\A[0-9]{1,15}\z/)
    return false if (now.to_i - times.first.to_i).abs > TOLERANCE_SECONDS

    signed = "#{times.first}.#{body}"
    # An empty secret, from an unset variable, would be known to everybody.
    secrets.reject(&:empty?).any? do |secret|
      expected = OpenSSL::HMAC.hexdigest("SHA256", secret, signed)
      signatures.any? { |signature| OpenSSL.secure_compare(expected, signature) }
    end
  end
end
