import com.google.gson.GsonBuilder;
import com.google.gson.reflect.TypeToken;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Prints what each verifier says of each delivery: null, or its error. Argument: a file with the deliveries. */
public final class Main {
  record Delivery(Map<String, String> headers, String body, String secret) {}

  interface Verifier {
    void verify(String body, String signature, String secret, Map<String, List<String>> headers)
        throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    var gson = new GsonBuilder().serializeNulls().create();
    var type = new TypeToken<List<Delivery>>() {}.getType();
    List<Delivery> deliveries = gson.fromJson(Files.readString(Path.of(arguments[0])), type);
    var answers = new ArrayList<List<String>>();
    for (var verifier : Verifiers.ALL) {
      var row = new ArrayList<String>();
      for (var delivery : deliveries) row.add(answerOf(verifier, delivery));
      answers.add(row);
    }
    System.out.println(gson.toJson(answers));
  }

  private static String answerOf(Verifier verifier, Delivery delivery) {
    var headers = new TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    delivery.headers().forEach((name, value) -> headers.put(name, List.of(value)));
    var signature = delivery.headers().get("service-signature");
    try {
      verifier.verify(delivery.body(), signature, delivery.secret(), headers);
      return null;
    } catch (Exception error) {
      return error.toString();
    }
  }
}
