defmodule Verify do
  @moduledoc """
  Verifies a response token by all seven validation rules, with Elixir 1.18 alone. Add `:inets` and
  `:ssl` to `extra_applications`. A proxy is an option of `:httpc.set_options/1`.
  """

  @rules %{
    "timeout-or-duplicate" => "fresh",
    "action-mismatch" => "action",
    "low-score" => "score"
  }
  @time ~r/\A[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\z/

  @doc """
  Returns "accepted" or the rule that failed. Refuses whatever is uncertain.

  Options: `:url`, `:secret`, `:action`, `:hostnames`; `:threshold` (0 to 1), `:remoteip`, and
  `:timeout`, in milliseconds, for the whole exchange.
  """
  def verify(response, options) do
    defaults = [threshold: 0, remoteip: "", timeout: 3000]
    options = Map.new(Keyword.merge(defaults, options))

    cond do
      not complete?(options) -> "options"
      not (is_binary(response) and byte_size(response) in 1..2048) -> "response"
      true -> ask(form(response, options), options)
    end
  end

  defp complete?(%{hostnames: hostnames} = options) do
    texts = [options.url, options.secret, options.action | hostnames]

    Enum.all?(texts, &(is_binary(&1) and &1 != "")) and hostnames != [] and
      options.url =~ ~r{\Ahttps?://.} and share?(options.threshold) and
      is_integer(options.timeout) and options.timeout in 1..60_000
  end

  defp form(response, options) do
    URI.encode_query(%{
      "secret" => options.secret,
      "response" => response,
      "action" => options.action,
      "remoteip" => options.remoteip,
      "idempotency_key" => uuid()
    })
  end

  # A random UUID, version 4: RFC 9562.
  defp uuid do
    <<a::48, _::4, b::12, _::2, c::62>> = :crypto.strong_rand_bytes(16)
    hex = Base.encode16(<<a::48, 4::4, b::12, 2::2, c::62>>, case: :lower)
    <<one::binary-8, two::binary-4, three::binary-4, four::binary-4, five::binary>> = hex
    Enum.join([one, two, three, four, five], "-")
  end

  # The time-out is for the whole exchange. That of httpc is for one request, and is not kept where
  # a 503 has Retry-After: httpc then asks again by itself, before inets 9.6 without end.
  defp ask(form, options) do
    task = Task.async(fn -> ask_twice(form, options) end)

    case Task.yield(task, options.timeout) || Task.shutdown(task, :brutal_kill) do
      {:ok, verdict} -> verdict
      nil -> "transport"
    end
  end

  # A lost answer is asked for once more: the key says that it is the same question.
  defp ask_twice(form, options) do
    with :lost <- post(form, options),
         :lost <- post(form, options),
         do: "transport"
  end

  # A redirect is no verdict.
  defp post(form, %{timeout: ms} = options) do
    address = to_charlist(String.trim_trailing(options.url, "/") <> "/api/v1/siteverify")
    request = {address, [], ~c"application/x-www-form-urlencoded", form}
    tls = :httpc.ssl_verify_host_options(true)
    http = [timeout: ms, connect_timeout: ms, autoredirect: false, ssl: tls]

    case :httpc.request(:post, request, http, body_format: :binary) do
      {:ok, {{_version, 200, _reason}, _headers, body}} -> judge(JSON.decode(body), options)
      {:ok, _answer} -> "status"
      {:error, _reason} -> :lost
    end
  end

  # Applies the rules in order.
  defp judge({:ok, %{"success" => true} = answer}, options) do
    cond do
      answer["error-codes"] != [] -> "error-codes"
      answer["action"] != options.action -> "action"
      not ours?(answer["hostname"], options.hostnames) -> "hostname"
      not high?(answer["score"], answer["score_threshold"], options.threshold) -> "score"
      not (is_binary(answer["challenge_ts"]) and answer["challenge_ts"] =~ @time) -> "shape"
      true -> "accepted"
    end
  end

  defp judge({:ok, %{"error-codes" => codes}}, _options) when is_list(codes) do
    Enum.find_value(codes, "success", &@rules[&1])
  end

  defp judge({:ok, answer}, _options) when is_map(answer), do: "success"
  defp judge(_other, _options), do: "shape"

  defp ours?(hostname, hostnames) when is_binary(hostname) do
    String.downcase(hostname) in Enum.map(hostnames, &String.downcase/1)
  end

  defp ours?(_hostname, _hostnames), do: false

  defp high?(score, least, threshold) do
    share?(score) and share?(least) and score >= least and score >= threshold
  end

  defp share?(value), do: is_number(value) and value >= 0 and value <= 1
end
