package org.vstar.spark.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.vstar.common.AtomicFiles;

/**
 * A disk, an HDFS and an S3, started once for all tests of this process that ask for {@link All} in
 * what they do before all.
 */
public final class TestStores implements ParameterResolver {

  /** The stores. */
  public record All(Path folder, List<TestStore> stores)
      implements ExtensionContext.Store.CloseableResource {

    /** What Spark has to be told of all of them. */
    public Map<String, String> spark() {
      Map<String, String> settings = new HashMap<>();
      stores.forEach(store -> settings.putAll(store.spark()));
      return settings;
    }

    @Override
    public void close() throws IOException {
      for (TestStore store : stores) {
        store.stop();
      }
      AtomicFiles.delete(folder);
    }
  }

  private static All start(String nothing) {
    try {
      Path folder = Files.createTempDirectory("vstar-stores-");
      return new All(folder, TestStore.all(folder));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == All.class;
  }

  @Override
  public All resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(Namespace.create(TestStores.class))
        .getOrComputeIfAbsent("all", TestStores::start, All.class);
  }
}
