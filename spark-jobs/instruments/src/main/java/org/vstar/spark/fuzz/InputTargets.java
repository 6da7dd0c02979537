package org.vstar.spark.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.catalog.ProductFiles;
import org.vstar.env.webshop.catalog.WebShopData;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.store.Store;

/** What users write: configs, catalogues, WebShop's files, names of folders. */
final class InputTargets {

  /** Configs whose environments open in a moment and need nothing. */
  private static final List<String> SMALL = List.of("bandit.yaml", "webshop-lite.yaml");

  private InputTargets() {}

  static List<Target> all(Path project, Path scratch) throws IOException {
    Path conf = project.resolve("conf");
    Map<String, String> configs = new LinkedHashMap<>();
    try (Stream<Path> files = Files.list(conf)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".yaml")).sorted().toList()) {
        configs.put(
            file.getFileName().toString(),
            Files.readString(file).replace("../datasets", project + "/datasets"));
      }
    }
    return List.of(
        new Configs(configs, scratch.resolve("configs")),
        new Catalogue(configs, project.resolve("datasets/webshop-lite/catalogue.jsonl"), scratch),
        new WebShop(configs, project.resolve("datasets/webshop-mini"), scratch),
        Index.of(project.resolve("datasets/webshop-mini"), scratch.resolve("index")),
        new Visits(scratch.resolve("visits.jsonl")),
        new Names(scratch.resolve("names")));
  }

  private static RunConfig read(Path file, Map<String, String> overrides) {
    return new ConfigFile()
        .with(EnvironmentKind.all())
        .with(ObjectiveKind.all())
        .read(file, overrides, RunConfig.class);
  }

  private static void write(Map<String, String> configs, Path folder) throws IOException {
    Files.createDirectories(folder);
    for (var config : configs.entrySet()) {
      Files.writeString(folder.resolve(config.getKey()), config.getValue());
    }
  }

  /** Opens an environment, and plays an episode in it. */
  private static void play(EnvironmentConfig config, Path base, long seed) {
    Opened opened = config.open(base, 0);
    Environment environment = opened.environment();
    for (Split split : Split.values()) {
      List<Task> tasks = environment.tasks(split);
      Player agent = opened.baselines().get("random");
      if (!tasks.isEmpty()) {
        try {
          agent.play(environment, tasks.get(Math.floorMod(seed, tasks.size())), seed);
        } catch (InvalidInputException e) {
          // What opened must not fail later.
          throw new Target.Finding(e.getMessage());
        }
      }
    }
  }

  /** A preset, what it includes, or an override is changed. */
  private record Configs(Map<String, String> configs, Path folder) implements Target {
    @Override
    public String name() {
      return "config";
    }

    @Override
    public int weight() {
      return 30;
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      Map<String, String> changed = new LinkedHashMap<>(configs);
      List<String> names = List.copyOf(configs.keySet());
      String preset = names.get(random.nextInt(names.size()));
      Map<String, String> overrides = new LinkedHashMap<>();
      if (random.nextInt(4) == 0) {
        String key = key(random, changed.get(preset));
        overrides.put(key, Mutation.odd(random));
      } else {
        String which = random.nextBoolean() ? preset : "defaults.yaml";
        changed.put(which, Mutation.text(random, changed.get(which)));
      }
      write(changed, folder);
      RunConfig config = read(folder.resolve(preset), overrides);
      if (SMALL.contains(preset)) {
        play(config.environment(), folder, random.nextLong());
      }
    }

    /** A key of the file, or something like one. */
    private static String key(SplittableRandom random, String text) {
      List<String> keys =
          text.lines()
              .filter(line -> line.contains(":"))
              .map(line -> line.substring(0, line.indexOf(':')).strip())
              .toList();
      String key = keys.get(random.nextInt(keys.size()));
      return switch (random.nextInt(4)) {
        case 0 -> "train." + key;
        case 1 -> "environment." + key;
        case 2 -> key + Mutation.odd(random);
        default -> key;
      };
    }
  }

  /** The small shop's catalogue is changed. */
  private record Catalogue(Map<String, String> configs, Path file, Path scratch) implements Target {
    @Override
    public String name() {
      return "catalogue";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      Path folder = scratch.resolve("catalogue");
      write(configs, folder);
      List<String> lines = new ArrayList<>(Files.readAllLines(file));
      Path changed = folder.resolve("catalogue.jsonl");
      if (random.nextInt(3) == 0) {
        Files.write(changed, Mutation.bytes(random, Files.readAllBytes(file)));
      } else {
        int line = random.nextInt(lines.size());
        lines.set(line, new String(Mutation.json(random, lines.get(line).getBytes())));
        Files.write(changed, lines);
      }
      RunConfig config =
          read(
              folder.resolve("webshop-lite.yaml"),
              Map.of("environment.catalogue", changed.toString()));
      play(config.environment(), folder, random.nextLong());
    }
  }

  /** One of WebShop's files is changed. */
  private record WebShop(Map<String, String> configs, Path data, Path scratch) implements Target {
    private static final List<String> FILES =
        List.of("items.json", "attributes.json", "human.json");

    @Override
    public String name() {
      return "webshop";
    }

    @Override
    public int weight() {
      return 3;
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      Path folder = scratch.resolve("webshop");
      write(configs, folder);
      for (String file : FILES) {
        Files.write(folder.resolve(file), Files.readAllBytes(data.resolve(file)));
      }
      String which = FILES.get(random.nextInt(FILES.size()));
      Path file = folder.resolve(which);
      Files.write(file, Mutation.json(random, Files.readAllBytes(file)));
      Map<String, String> overrides = new LinkedHashMap<>();
      overrides.put("environment.data.products", "items.json");
      overrides.put("environment.data.attributes", "attributes.json");
      overrides.put("environment.data.human", "human.json");
      overrides.put("environment.goals.testGoals", "30");
      overrides.put("environment.goals.validationGoals", "20");
      RunConfig config = read(folder.resolve("webshop-1k.yaml"), overrides);
      play(config.environment(), folder, random.nextLong());
    }
  }

  /** The index of products on disk: what it gives is what it gave, or it is refused. */
  private record Index(ProductFiles files, Path whole, List<Item> items) implements Target {

    static Index of(Path data, Path whole) {
      ProductFiles files =
          new ProductFiles(
              data.resolve("items.json"),
              data.resolve("attributes.json"),
              data.resolve("human.json"));
      return new Index(
          files, whole, List.copyOf(WebShopData.stored(files, whole, new PythonRandom(1)).items()));
    }

    @Override
    public String name() {
      return "product-index";
    }

    @Override
    public int weight() {
      return 5;
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      List<String> names = List.of("about.json", "entries.bin", "items.jsonl");
      Path file = whole.resolve(names.get(random.nextInt(names.size())));
      byte[] content = Files.readAllBytes(file);
      try {
        Files.write(file, Mutation.bytes(random, content));
        List<Item> now = WebShopData.stored(files, whole, new PythonRandom(1)).items();
        Target.requireEqual("the products", items, List.copyOf(now));
      } finally {
        Files.write(file, content);
      }
    }
  }

  /** What people did, as {@code submit/shop} writes it and a warm start reads it. */
  private record Visits(Path file) implements Target {
    private static final String LINE =
        "{'method':'person','mode':'sampled','task_id':'t','category':'c','cluster':'k','sample':0,"
            + "'success':false,'reward':0.5,'steps':1,'failure':'wrong type','reward_parts':{'a':1},"
            + "'environment_fingerprint':'e','reward_fingerprint':'r','turns':[{'observation':'o',"
            + "'thought':'','action':'search[x]','reward':0.5,'event':'results'}]}";

    @Override
    public String name() {
      return "visits";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      byte[] line = LINE.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
      Files.write(file, Mutation.json(random, line));
      for (EpisodeRow row : EpisodeRow.readFiles(file)) {
        row.turns().forEach(turn -> turn.action().length());
        Objects.requireNonNull(row.taskId());
      }
    }
  }

  /** Names for {@code --out}. What is taken keeps what is written there, and nowhere else. */
  private record Names(Path sandbox) implements Target {
    private static final String CHARACTERS = "ab.-_ /\\:%#~?*[]{}'\"$&;|<>\n\t\0é😀,=+@";

    @Override
    public String name() {
      return "out";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      StringBuilder name = new StringBuilder(random.nextInt(3) == 0 ? Mutation.odd(random) : "");
      for (int i = random.nextInt(12); i > 0; i--) {
        name.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
      }
      Store.open(name.toString());
      Path inside = Path.of(sandbox + "/" + name).normalize();
      if (!inside.startsWith(sandbox) || name.toString().contains("..")) {
        return;
      }
      Store store = Store.open(sandbox + "/" + name);
      store.requireWritable();
      String text = "content " + random.nextInt();
      store.publish("a/b.txt", out -> out.write(text.getBytes()));
      String read = new String(store.read("a/b.txt").readAllBytes());
      Target.requireEqual("a published file", text, read);
      Target.requireEqual("a list", List.of("a/b.txt"), store.list("a/"));
      Path file = inside.resolve("a/b.txt");
      Target.requireEqual("the place of " + file, true, Files.isRegularFile(file));
      store.delete("a/b.txt");
    }
  }
}
