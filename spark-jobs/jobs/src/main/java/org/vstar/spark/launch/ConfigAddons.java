package org.vstar.spark.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Which add-ons a job needs by what its config says. */
final class ConfigAddons {

  /** The jobs that imitate. */
  private static final Set<String> IMITATING = Set.of("warm-start", "quickstart", "study");

  private static final String ENGINE = "engine";
  private static final String IMITATION = "warmStart.imitation";
  static final String DL4J = "dl4j";
  private static final String HUGGING_FACE = "huggingFace";
  private static final String RENDERER = "jinja";

  private ConfigAddons() {}

  /**
   * The names of add-ons, those with the newest libraries first: Deeplearning4j's are the oldest.
   *
   * @param job what is submitted
   * @param config what its config says; empty if it is on a store, which the driver alone reads
   * @param settings keys of the command line with their values
   * @param named add-ons of the command line
   */
  static List<String> of(
      String job,
      Optional<JsonNode> config,
      Map<String, String> settings,
      List<String> named,
      Installation installation) {
    TreeSet<String> addons = new TreeSet<>(Comparator.reverseOrder());
    addons.addAll(named);
    JsonNode tree = config.orElse(null);
    String engine = tree == null ? settings.get(ENGINE) : tree.path(ENGINE).asText();
    String imitation =
        tree == null
            ? settings.getOrDefault(IMITATION, installation.hasScala213() ? ENGINE : DL4J)
            : tree.path("warmStart").path("imitation").asText();
    boolean renders =
        tree == null
            ? settings.keySet().stream().anyMatch(key -> key.startsWith(HUGGING_FACE))
            : tree.has(HUGGING_FACE);
    // An engine without an add-on is Vstar's own, or comes with a jar of the user's.
    if (engine != null && installation.isAddon(engine)) {
      addons.add(engine);
    }
    if (IMITATING.contains(job) && installation.isAddon(imitation)) {
      addons.add(imitation);
    }
    if (renders) {
      addons.add(RENDERER);
    }
    return List.copyOf(addons);
  }
}
