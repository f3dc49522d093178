import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;

final class Driver {
  public static void main(String[] args) throws Exception {
    var calls = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = calls.readLine(); line != null; line = calls.readLine()) {
      var call = new ObjectMapper().readTree(line);
      var hostnames = new ArrayList<String>();
      call.get("hostnames").forEach(each -> hostnames.add(each.textValue()));
      var timeout = Duration.ofMillis((long) (Double.parseDouble(call.get("timeout").textValue()) * 1000));
      var site = new Verify(call.get("url").textValue(), call.get("secret").textValue(),
          call.get("action").textValue(), hostnames, call.get("remoteip").textValue(),
          Double.parseDouble(call.get("threshold").textValue()), timeout);
      System.out.println(site.verify(call.get("response").textValue()));
    }
  }
}
