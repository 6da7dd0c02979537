package org.vstar.spark.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.AtomicFiles;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.Store.Stored;

/**
 * A config on a store. It is copied to this machine with the configs that it includes and the files
 * that it names, which lie beside it there as they do here: {@code conf/webshop-1k.yaml} with
 * {@code datasets/webshop}. So a driver that the cluster starts somewhere needs nothing but its
 * URI.
 */
public final class RemoteConfig {

  private static final Logger LOG = LoggerFactory.getLogger(RemoteConfig.class);

  private static final String LOCAL = "file";
  private static final String INCLUDE = "include";
  private static final ObjectMapper YAML = YAMLMapper.builder().build();

  private final Store store;
  private final Path root;
  private final Set<String> leftOut;
  private long bytesLeft;

  private RemoteConfig(Store store, Path root, Set<String> leftOut, long mostBytes) {
    this.store = store;
    this.root = root;
    this.leftOut = leftOut;
    this.bytesLeft = mostBytes;
  }

  /**
   * A config of this machine, copied with all that it names.
   *
   * @param root the folder of the copies, deleted at the JVM's end
   * @param config the config below it
   */
  public record Copy(Path root, Path config) {}

  /**
   * Copies a config of this machine as one on a store is copied.
   *
   * @param overrides dotted keys and values of the command line, which may name files too
   * @param leftOut dotted keys whose files are not copied
   * @param mostBytes how much may be copied
   * @throws InvalidInputException if the config and what it names have more bytes
   */
  public static Copy copy(
      Path config, Map<String, String> overrides, Set<String> leftOut, long mostBytes) {
    try {
      Path root = temporary();
      RemoteConfig remote = new RemoteConfig(Store.open("/"), root, leftOut, mostBytes);
      String name = config.toAbsolutePath().normalize().toString().substring(1);
      List<String> values =
          overrides.entrySet().stream()
              .filter(override -> !leftOut.contains(override.getKey()))
              .map(Map.Entry::getValue)
              .toList();
      return new Copy(root, remote.copyAll(name, values));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + config, e);
    }
  }

  private Path copyAll(String name, Collection<String> overrides) throws IOException {
    Path local = copyConfig(name);
    for (String value : overrides) {
      copyIfThere(name, value);
    }
    return local;
  }

  /**
   * The file of this machine that has a config.
   *
   * @param config a path or a URI
   * @param overrides values of the command line, which may name files too
   * @throws InvalidInputException if there is no such config
   */
  public static Path local(String config, Collection<String> overrides) {
    if (!Store.isUri(config)) {
      return Path.of(config);
    }
    try {
      URI uri = new URI(config);
      if (uri.getPath() == null || uri.getPath().length() < 2) {
        throw new InvalidInputException("--config is '" + config + "', expected a file's URI");
      }
      if (LOCAL.equals(uri.getScheme())) {
        return Path.of(uri.getPath());
      }
      String authority = uri.getAuthority() == null ? "" : uri.getAuthority();
      Store store = Store.open(uri.getScheme() + "://" + authority + "/");
      String name = uri.getPath().substring(1);
      if (!store.exists(name)) {
        throw new InvalidInputException("config file " + config + " does not exist");
      }
      return new RemoteConfig(store, temporary(), Set.of(), Long.MAX_VALUE)
          .copyAll(name, overrides);
    } catch (URISyntaxException | InvalidPathException e) {
      throw new InvalidInputException(
          "--config is '" + config + "', not a URI: " + e.getMessage(), e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + config, e);
    }
  }

  private static Path temporary() throws IOException {
    Path root = Files.createTempDirectory("vstar-config-");
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    AtomicFiles.delete(root);
                  } catch (IOException e) {
                    LOG.warn("cannot delete {}: {}", root, e.getMessage());
                  }
                }));
    return root;
  }

  private Path copyConfig(String name) throws IOException {
    Path local = copy(name);
    JsonNode tree;
    try {
      tree = YAML.readTree(local.toFile());
    } catch (IOException e) {
      // Whoever reads it says what is wrong, and in which line.
      return local;
    }
    String included = beside(name, tree.path(INCLUDE).asText(""));
    if (included != null && !Files.exists(root.resolve(included)) && store.exists(included)) {
      copyConfig(included);
    }
    for (String value : texts("", tree)) {
      copyIfThere(name, value);
    }
    return local;
  }

  /**
   * The texts below a key, less those of keys that are left out.
   *
   * @param key dotted; empty at the top
   */
  private List<String> texts(String key, JsonNode tree) {
    List<String> texts = new ArrayList<>();
    if (leftOut.contains(key)) {
      return texts;
    }
    if (tree.isTextual()) {
      texts.add(tree.asText());
    }
    if (tree.isArray()) {
      tree.forEach(child -> texts.addAll(texts(key, child)));
    }
    tree.properties()
        .forEach(
            child ->
                texts.addAll(
                    texts(
                        key.isEmpty() ? child.getKey() : key + "." + child.getKey(),
                        child.getValue())));
    return texts;
  }

  /** Copies what a value names, if it names a file or a folder beside the config. */
  private void copyIfThere(String config, String value) throws IOException {
    String name = beside(config, value);
    if (name == null) {
      return;
    }
    if (store.exists(name)) {
      copy(name);
    } else if (store.isFolder(name)) {
      for (Stored file : store.stored(name + "/")) {
        copy(file.name());
      }
    }
  }

  /** The name in the store of what a value may mean; null if it can mean nothing there. */
  private static String beside(String config, String value) {
    if (!value.contains("/") && !value.contains(".")
        || value.contains(":")
        || value.chars().anyMatch(c -> c < ' ')) {
      return null;
    }
    Path folder = Path.of("/" + config).getParent();
    Path named = folder.resolve(value).normalize();
    return folder.startsWith(named) ? null : named.toString().substring(1);
  }

  private Path copy(String name) throws IOException {
    Path to = root.resolve(name);
    if (!Files.exists(to)) {
      Files.createDirectories(to.getParent());
      try (InputStream in = store.read(name)) {
        bytesLeft -= Files.copy(in, to);
      }
      if (bytesLeft < 0) {
        throw new InvalidInputException(
            "the config and the files that it names are too large to go along with a job ("
                + store.location(name)
                + "): put them on a store, and name the config by its URI");
      }
    }
    return to;
  }
}
