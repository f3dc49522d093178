# Elixir before 1.18 has no JSON: there jiffy decodes for the recipe.
unless Code.ensure_loaded?(JSON) do
  defmodule JSON do
    def decode(text) do
      {:ok, :jiffy.decode(text, [:return_maps, :use_nil])}
    catch
      _kind, reason -> {:error, reason}
    end
  end
end

Code.require_file("../../../../examples/verify/verify.ex", __DIR__)
{:ok, _} = Application.ensure_all_started(:inets)
{:ok, _} = Application.ensure_all_started(:ssl)

if proxy = System.get_env("http_proxy") do
  %URI{host: host, port: port} = URI.parse(proxy)
  :ok = :httpc.set_options(proxy: {{to_charlist(host), port}, []})
end

# Text that is no number is no option.
number = fn text ->
  case Float.parse(text) do
    {value, ""} -> value
    _ -> text
  end
end

milliseconds = fn text ->
  seconds = number.(text)
  if is_float(seconds), do: trunc(seconds * 1000), else: seconds
end

for line <- IO.stream(:stdio, :line) do
  {:ok, call} = JSON.decode(line)

  options = [
    url: call["url"],
    secret: call["secret"],
    action: call["action"],
    hostnames: call["hostnames"],
    threshold: number.(call["threshold"]),
    timeout: milliseconds.(call["timeout"]),
    remoteip: call["remoteip"]
  ]

  IO.puts(Verify.verify(call["response"], options))
end
