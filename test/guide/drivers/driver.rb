# Prints the result of verify.rb for every vector, as JSON. Argument: the folder docs/webhooks.

require "json"

folder = ARGV.fetch(0)
require File.join(folder, "verify.rb")

vectors = JSON.parse(File.read(File.join(folder, "../generated/webhook-vectors.json"), encoding: "UTF-8"))
results = vectors.map do |each|
  body, header, secrets, now = each.values_at("body", "header", "secrets", "now")
  Webhook.genuine?(body, header, secrets, now: Time.at(now))
end
puts JSON.generate(results)
