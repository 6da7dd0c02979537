package org.vstar.spark.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.ErrorLine;

/**
 * Prints what a command needs by its config besides Vstar's own jars, a name a line: the engine,
 * the kind of imitation, and the renderer of chat templates for a policy of Hugging Face's layout.
 * The scripts ask before they start Spark, so that YAML has one reader.
 */
public final class ConfigNeeds {

  private static final String WARM_START = "warm-start";
  private static final String RENDERER = "jinja";

  private ConfigNeeds() {}

  /**
   * Prints the names.
   *
   * @param args the command, the config, and settings as {@code key=value} that go before what it
   *     says
   */
  public static void main(String[] args) {
    try {
      Map<String, String> settings = new LinkedHashMap<>();
      for (int i = 2; i < args.length; i++) {
        int equals = args[i].indexOf('=');
        if (equals > 0) {
          settings.put(args[i].substring(0, equals), args[i].substring(equals + 1));
        }
      }
      JsonNode config = new ConfigFile().tree(Path.of(args[1]), settings);
      if (config.hasNonNull("engine")) {
        System.out.println(config.get("engine").asText());
      }
      JsonNode imitation = config.path("warmStart").path("imitation");
      if (args[0].equals(WARM_START) && imitation.isTextual()) {
        System.out.println(imitation.asText());
      }
      if (config.has("huggingFace")) {
        System.out.println(RENDERER);
      }
    } catch (InvalidInputException e) {
      ErrorLine line = ErrorLine.of(e);
      System.err.println(line.text());
      System.exit(line.exitCode());
    }
  }
}
