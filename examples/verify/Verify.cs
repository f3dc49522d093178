// Verifies a response token by every rule of the specification; .NET 8, nothing else. Protocol: README.md beside this.
using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;

/// <summary>What a handler knows beforehand. Threshold 0 to 1; RemoteIp may be empty; Timeout in seconds, for everything.</summary>
public sealed record Site(string Url, string Secret, string Action, IReadOnlyList<string> Hostnames,
    double Threshold = 0, string RemoteIp = "", double Timeout = 3);

public static class Verifier
{
    private const int LongestAnswer = 65536;

    private static readonly Dictionary<string, string> RuleOf = new()
    {
        ["timeout-or-duplicate"] = "fresh",
        ["action-mismatch"] = "action",
        ["low-score"] = "score",
    };

    // A redirect is an answer like any other. One client for all: each has a pool of connections.
    private static readonly HttpClient Http = new(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false })
    {
        Timeout = System.Threading.Timeout.InfiniteTimeSpan,
        MaxResponseContentBufferSize = LongestAnswer,
    };

    /// <summary>Returns "accepted" or the rule that failed. Refuses whatever is uncertain, and throws nothing.</summary>
    public static async Task<string> VerifyAsync(string? response, Site site)
    {
        if (!Uri.TryCreate(site.Url.TrimEnd('/') + "/api/v1/siteverify", UriKind.Absolute, out var address)
            || address.Scheme is not ("http" or "https")) return "options";
        if (site.Secret == "" || site.Action == "" || site.Hostnames.Count == 0) return "options";
        if (!(site.Threshold is >= 0 and <= 1) || !(site.Timeout is > 0 and <= 60)) return "options";
        if (string.IsNullOrEmpty(response) || response.Length > 2048) return "response";

        var fields = new Dictionary<string, string>
        {
            ["secret"] = site.Secret,
            ["response"] = response,
            ["action"] = site.Action,
            ["idempotency_key"] = Guid.NewGuid().ToString(),
        };
        if (site.RemoteIp != "") fields["remoteip"] = site.RemoteIp;
        using var deadline = new CancellationTokenSource(TimeSpan.FromSeconds(site.Timeout));
        // Once more when the answer was lost on the way: the key tells the service that it is the same question.
        for (var tries = 0; tries < 2 && !deadline.IsCancellationRequested; tries++)
        {
            try
            {
                using var form = new FormUrlEncodedContent(fields);
                // Reads the whole body, and ends with the deadline wherever it is.
                using var answer = await Http.PostAsync(address, form, deadline.Token);
                if ((int)answer.StatusCode != 200) return "status";
                return Judge(await answer.Content.ReadAsByteArrayAsync(deadline.Token), site);
            }
            catch (Exception lost) when (lost is HttpRequestException or IOException or OperationCanceledException)
            {
            }
        }
        return "transport";
    }

    /// <summary>The rules in their order; a field of another type fails its own rule.</summary>
    private static string Judge(byte[] body, Site site)
    {
        JsonDocument document;
        try
        {
            document = JsonDocument.Parse(body);
        }
        catch (JsonException)
        {
            return "shape";
        }
        using (document)
        {
            var answer = document.RootElement;
            if (answer.ValueKind != JsonValueKind.Object) return "shape";
            var codes = Member(answer, "error-codes");
            if (Member(answer, "success").ValueKind != JsonValueKind.True)
            {
                if (codes.ValueKind == JsonValueKind.Array)
                    foreach (var code in codes.EnumerateArray())
                        if (Text(code) is { } text && RuleOf.TryGetValue(text, out var rule)) return rule;
                return "success";
            }
            if (codes.ValueKind != JsonValueKind.Array || codes.GetArrayLength() > 0) return "error-codes";
            if (Text(Member(answer, "action")) != site.Action) return "action";
            var hostname = Text(Member(answer, "hostname"));
            if (hostname is null || !site.Hostnames.Contains(hostname, StringComparer.OrdinalIgnoreCase)) return "hostname";
            if (Share(Member(answer, "score")) is not { } score || Share(Member(answer, "score_threshold")) is not { } least
                || score < least || score < site.Threshold) return "score";
            var time = Text(Member(answer, "challenge_ts"));
            return time is not null && Regex.IsMatch(time, @"\A[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\z") ? "accepted" : "shape";
        }
    }

    private static JsonElement Member(JsonElement of, string name) => of.TryGetProperty(name, out var value) ? value : default;

    private static string? Text(JsonElement value) => value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static double? Share(JsonElement value) =>
        value.ValueKind == JsonValueKind.Number && value.TryGetDouble(out var number) && number is >= 0 and <= 1 ? number : null;

    public static async Task<int> Main()
    {
        static string Env(string name) => Environment.GetEnvironmentVariable(name) ?? "";
        static double Number(string name, double standard) =>
            Env(name) == "" ? standard
            : double.TryParse(Env(name), NumberStyles.Float, CultureInfo.InvariantCulture, out var value) ? value : double.NaN;
        var verdict = await VerifyAsync(await Console.In.ReadToEndAsync(), new Site(
            Env("HV_URL"), Env("HV_SECRET"), Env("HV_ACTION"), Env("HV_HOSTNAMES").Split(',', StringSplitOptions.RemoveEmptyEntries),
            Number("HV_THRESHOLD", 0), Env("HV_REMOTEIP"), Number("HV_TIMEOUT", 3)));
        Console.WriteLine(verdict);
        return verdict == "accepted" ? 0 : 1;
    }
}
